import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config.ts";
import { readSecret } from "../../src/provisioning/credentials.ts";
import { ownConfig } from "../config.ts";
import { type Answer, openHouse } from "../house.ts";
import { openSite, path, register, standIn } from "./clusters.ts";

const outside = mkdtempSync(join(tmpdir(), "landfall-credentials-"));
const dir = join(outside, "inside");
const variable = `LANDFALL_TEST_${crypto.randomUUID().replaceAll("-", "_")}`;
const config: Config = { ...ownConfig(), CREDENTIALS_DIR: dir, LOG_LEVEL: "debug" };

beforeAll(() => {
  mkdirSync(join(dir, "folder"), { recursive: true });
  writeFileSync(join(dir, "ring-1.json"), ' {"password": "kept in a file"}\n');
  writeFileSync(join(dir, "empty"), " \n");
  writeFileSync(join(dir, ".hidden"), "hidden");
  writeFileSync(join(dir, "folder", "inner"), "inner");
  writeFileSync(join(outside, "other"), "other");
  symlinkSync("ring-1.json", join(dir, "current"));
});
afterAll(() => rmSync(outside, { recursive: true }));

/** What a reference that leads nowhere says. */
const faultOf = async (reference: string | null, given: Config = config) =>
  readSecret(given, reference).then(
    () => expect.unreachable(),
    ({ code, message }) => [code, message],
  );

/** A variable of this process while it is in use. */
function variableSet(name: string, value: string) {
  const before = process.env[name];
  process.env[name] = value;
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    },
  };
}

describe("a credentialsRef", () => {
  test("to a variable gives its value as it is now", async () => {
    const gone = ["CREDENTIALS_MISSING", `The environment variable ${variable} is not set.`];
    expect(await faultOf(`env:${variable}`)).toEqual(gone);
    for (const value of ["first", "second "]) {
      using _ = variableSet(variable, value);
      expect(await readSecret(config, `env:${variable}`)).toBe(value);
    }
    using _ = variableSet(variable, "");
    expect(await faultOf(`env:${variable}`)).toEqual(gone);
  });

  test("to a file gives what is in it now, without the blanks around", async () => {
    expect(await readSecret(config, "file:ring-1.json")).toBe('{"password": "kept in a file"}');
    expect(await readSecret(config, "file:current")).toBe('{"password": "kept in a file"}');
    writeFileSync(join(dir, "changing"), "first");
    expect(await readSecret(config, "file:changing")).toBe("first");
    writeFileSync(join(dir, "changing"), "second");
    expect(await readSecret(config, "file:changing")).toBe("second");
  });

  test("to a file that is not there, empty or a directory says so", async () => {
    for (const name of ["gone", "empty", "folder"]) {
      const message = `There is no readable file ${name} below CREDENTIALS_DIR, or it is empty.`;
      expect(await faultOf(`file:${name}`)).toEqual(["CREDENTIALS_MISSING", message]);
    }
    const { CREDENTIALS_DIR, ...without } = config;
    const message = "CREDENTIALS_DIR is not set, so that no file can be read.";
    expect(await faultOf("file:ring-1.json", without)).toEqual(["CREDENTIALS_MISSING", message]);
  });

  test("that is missing says so", async () => {
    expect(await faultOf(null)).toEqual(["CREDENTIALS_MISSING", "The cluster has no credentialsRef."]);
  });

  for (const name of ["ENCRYPTION_KEY", "MYSQL_URL", "ADMIN_PASSWORD"])
    test(`never gives ${name}, which is Landfall's own`, async () => {
      using _ = variableSet(name, "not for clusters");
      expect((await faultOf(`env:${name}`))[0]).toBe("CREDENTIALS_MISSING");
    });

  for (const name of [
    ...["../other", "..", ".", ".hidden", "folder/inner", "folder/../ring-1.json", "./ring-1.json"],
    ...["/etc/hostname", "folder/../../other", "ring-1.json\u0000", "ring-1.json\n", "..\\other", ""],
  ])
    test(`never leads to ${JSON.stringify(name)}, whatever is stored`, async () => {
      expect((await faultOf(`file:${name}`))[0]).toBe("CREDENTIALS_MISSING");
    });
});

describe("the secret itself", () => {
  test("is in no answer, no row and no line of the log, whatever a driver does with it", async () => {
    const secret = "hunter2 is {no JSON";
    const telling = /hunter2|no JSON|kept in a file/;
    using _ = variableSet(variable, secret);
    using site = openSite();
    // Signs in with it, and breaks where it is not JSON: the error then has words of it.
    using __ = standIn("VMWARE", async (cluster, signal) => {
      const given = await cluster.secret();
      await fetch(cluster.apiUrl ?? "", { headers: { Authorization: given }, signal });
      JSON.parse(given);
      return [{ name: "sign-in", ok: true, detail: "Signed in." }];
    });
    using written = spyOn(process.stderr, "write").mockImplementation(() => true);
    const house = await openHouse({ config, samples: false });
    const answers: Answer[] = [];
    const admin = await house.admin();
    const call = async (...asked: Parameters<typeof admin.call>) => {
      const answer = await admin.call(...asked);
      answers.push(answer);
      return answer;
    };
    const oks: boolean[] = [];
    for (const credentialsRef of [`env:${variable}`, "file:ring-1.json", "env:LANDFALL_TEST_GONE", null]) {
      const { id } = await register(admin, { type: "VMWARE", apiUrl: site.apiUrl, credentialsRef });
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      oks.push((await call("POST", `${path}/${id}/test-connection`, undefined, headers)).data.ok);
      await call("POST", `${path}/${id}/test-connection`, undefined, headers);
      await call("PATCH", `${path}/${id}`, { region: "cellar" });
      await call("GET", `${path}/${id}`);
    }
    await call("GET", path);
    const { data } = await call("GET", "/api/provisioning/providers/health");
    const tables = await house.rows(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
    );
    const rows = await Promise.all(tables.map(({ name }) => house.rows("SELECT * FROM ??", [name])));
    await house.close();

    expect(oks).toEqual([false, true, false, false]);
    expect(data.map(({ detail }: any) => detail)).toEqual([
      "The test broke off; the log says where.",
      "Signed in.",
      "The environment variable LANDFALL_TEST_GONE is not set.",
      "The cluster has no credentialsRef.",
    ]);
    // It was used, and it would be found.
    expect(site.requests.map(({ headers }) => headers["authorization"])).toContain(secret);
    expect([secret, await readSecret(config, "file:ring-1.json")]).toEqual([
      expect.stringMatching(telling),
      expect.stringMatching(telling),
    ]);
    const lines = written.mock.calls.map(([line]) => String(line)).join("");
    expect(lines).toContain("cluster probe failed");
    for (const kept of [lines, JSON.stringify(rows), JSON.stringify(answers.map(({ body }) => body))])
      expect(kept).not.toMatch(telling);
  });
});
