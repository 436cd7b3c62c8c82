import { type Asked, type Reply, reply } from "./answer.ts";
import { recorded } from "./recordings.ts";

const credential = { id: "credential-1", secret: "secret-of-credential-1" };
export const users = { landfall: "secret-of-landfall" } as Record<string, string>;

/** Keystone: gives tokens, and knows them. */
export function keystone(rootOf: () => string, life: { seconds: number }, hidden: ReadonlySet<string>) {
  const tokens = new Set<string>();
  let signIns = 0;
  return {
    get signIns() {
      return signIns;
    },
    knows: (token: unknown) => tokens.has(String(token)),
    /** As when a password was changed. */
    forgetTokens: () => tokens.clear(),
    signIn({ body }: Asked): Reply {
      signIns += 1;
      const { identity, scope } = body.auth;
      const byPassword = identity.methods[0] === "password";
      if (byPassword) {
        const { name, password } = identity.password.user;
        if (users[name] !== password) return reply("sign-in-wrong-password");
        if (scope.project.name !== "cloud") return reply("sign-in-unknown-project");
      } else {
        const { id, secret } = identity.application_credential;
        if (id !== credential.id || secret !== credential.secret)
          return reply("sign-in-application-credential-wrong");
      }
      const {
        status,
        headers,
        body: answer,
      } = recorded(byPassword ? "sign-in" : "sign-in-application-credential");
      const token = `token-${signIns}-${Bun.randomUUIDv7()}`;
      tokens.add(token);
      const issued = Date.parse(answer.token.issued_at);
      answer.token.catalog = answer.token.catalog.filter(({ type }: any) => !hidden.has(type));
      answer.token.expires_at = new Date(issued + life.seconds * 1000).toISOString();
      const moved = JSON.parse(JSON.stringify(answer).replaceAll("http://cloud.example", rootOf()));
      return { status, headers: { ...headers, "x-subject-token": token }, body: moved };
    },
  };
}
