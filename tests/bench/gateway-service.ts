import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { AccessTokens } from "../../src/identity/access-tokens.ts";
import { openCatalogue } from "../../src/products/catalogue.ts";
import { startLandfall } from "../../src/start.ts";

/* The program for the bench `gateway`: the same service behind its gateway, alone, and nothing but a port. */

const { landfall, url } = await startLandfall(readConfig());
const tokens = { jwks: () => ({ keys: [] }) } as unknown as AccessTokens;
const service = createApp(landfall, tokens, openCatalogue(landfall.world));
const alone = Bun.serve({ port: 0, fetch: service });
const behind = Bun.serve({ port: 0, fetch: () => Response.json({ keys: [] }) });
const at = ({ port }: { port?: number | undefined }) => `http://localhost:${port}`;
console.log(JSON.stringify({ gateway: url, service: at(alone), port: at(behind) }));
