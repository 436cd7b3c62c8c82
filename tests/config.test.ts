import { describe, expect, test } from "bun:test";
import { readConfig } from "../src/config.ts";

describe("the configuration", () => {
  test("has its defaults where nothing is set, or set to nothing", () => {
    const { PLATFORM_NAME, JWT_ISSUER, SAMPLE_DATA, PORT } = readConfig({ PLATFORM_NAME: "" });
    expect([PLATFORM_NAME, JWT_ISSUER, SAMPLE_DATA, PORT]).toEqual(["landfall", "landfall", true, undefined]);
  });

  test("names every bad and every missing variable at once, and no value", () => {
    const bad = {
      PORT: "secret-1",
      ENCRYPTION_KEY: "secret-2",
      LOG_LEVEL: "secret-3",
      MYSQL_URL: "http://secret-4",
    };
    const read = () => readConfig(bad, ["MYSQL_URL", "REDIS_URL"]);
    expect(read).toThrow(
      "Configuration: PORT must be a whole number from 0 to 65535; MYSQL_URL must be a mysql: URL, or unix: and a socket; " +
        "ENCRYPTION_KEY must be 32 bytes in base64; LOG_LEVEL must be debug, info, warn or error; REDIS_URL must be set",
    );
    expect(read).not.toThrow("secret");
  });
});
