import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The floors and rooms of the house, as rules over its files. */

const floors = ["schema", "streams", "actors", "src", "tests"] as const;
const mayImport: Record<string, readonly string[]> = {
  schema: ["schema"],
  streams: ["schema", "streams"],
  actors: ["schema", "streams", "actors"],
  src: ["schema", "streams", "actors", "src"],
  tests: floors,
};
const services = ["provisioning", "products", "notifications", "identity", "orders", "billing", "support"];
const houseFiles = [
  "src/main.ts",
  "src/app.ts",
  "src/start.ts",
  "src/work.ts",
  "src/seed.ts",
  "src/welcome.ts",
];
const environmentReaders = ["src/config.ts"];
const vagueNames = /(^|[./-])(utils?|helpers?|common|manager|base|misc)([./-]|$)/;
const impure = /\bawait\b|\basync\b|Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes/;

/** Every place that breaks a rule, one line each. */
export function violations(root: string): string[] {
  const files = floors.flatMap((floor) => [...new Bun.Glob(`${floor}/**/*.ts`).scanSync(root)]).sort();
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, path]) =>
      normalize(join(dirname(file), path as string)),
    );
    return [...imports.flatMap((target) => wrongImport(file, target)), ...wrongFile(file, text)].map(
      (fault) => `${file}: ${fault}`,
    );
  });
}

function wrongImport(file: string, target: string): string[] {
  const [floor = "", room = ""] = file.split("/");
  const [targetFloor = "", targetRoom = ""] = target.split("/");
  if (!mayImport[floor]?.includes(targetFloor)) return [`imports ${target}, which is above it`];
  const elsewhere = floor === "src" && services.includes(targetRoom) && targetRoom !== room;
  if (elsewhere && !houseFiles.includes(file) && !target.endsWith(".queries.ts")) {
    return [`imports ${target}; of another service only its queries may be read`];
  }
  return [];
}

function wrongFile(file: string, text: string): string[] {
  const faults: string[] = [];
  const [floor = "", room = ""] = file.split("/");
  if (!/^[a-z0-9./-]+$/.test(file)) faults.push("is not named in kebab-case");
  if (vagueNames.test(file)) faults.push("has a name that says nothing");
  if (floor !== "tests" && text.includes("process.env") && !environmentReaders.includes(file))
    faults.push("reads the environment");
  const actor = floor === "actors" && services.includes(room) && !/\bFact</.test(text);
  if (actor && impure.test(text)) faults.push("is an actor and must be pure: no await, clock or chance");
  return faults;
}
