import { expect } from "bun:test";
import { randomBytes } from "node:crypto";
import { type Answer, type House, password } from "../house.ts";
import { expectProblem } from "../http/answers.ts";

const auth = "/api/identity/auth";

/** The doors of sign-in, as a client uses them. */
export function authOf(house: House) {
  const refresh = (refreshToken: string) => house.call("POST", `${auth}/refresh`, { refreshToken });
  return {
    /** A new user with their tokens. */
    async register() {
      const email = `${randomBytes(6).toString("hex")}@example.com`;
      return (await house.call("POST", `${auth}/register`, { email, password, name: "Ada" })).data;
    },
    async login(email: string) {
      return (await house.call("POST", `${auth}/login`, { email, password })).data;
    },
    refresh,
    /** The next refresh token; fails where there is none. */
    async next(refreshToken: string): Promise<string> {
      const { status, data } = await refresh(refreshToken);
      expect(status).toBe(200);
      return data.refreshToken;
    },
    logout: (refreshToken: string) => house.call("POST", `${auth}/logout`, { refreshToken }),
    me: (token: string) =>
      house.call("GET", "/api/identity/me", undefined, { Authorization: `Bearer ${token}` }),
  };
}

/** What every refresh token gets that is not good, or not any more. */
export function expectRefused(answer: Answer): void {
  expectProblem(answer, "unauthenticated");
  expect(answer.body.detail).toBe("The refresh token is not valid.");
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
}
