import { type RecordingName, recorded } from "./recordings.ts";

/** What the cloud answers. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** One call, as the cloud sees it. */
export interface Asked {
  method: string;
  /** Which service, and the path below its root. */
  service: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: any;
}

/** As it was recorded, with another body where one is given. */
export const reply = (name: RecordingName, body?: unknown): Reply => {
  const { status, headers, body: own } = recorded(name);
  return { status, headers, body: body ?? own };
};

/** The routes of a service: method and pattern, with what answers. */
export type Routes = Record<string, (asked: Asked, ids: string[]) => Reply>;

/** What the routes answer; undefined where there is none. */
export function route(routes: Routes, asked: Asked): Reply | undefined {
  for (const [pattern, answer] of Object.entries(routes)) {
    const [method, path = ""] = pattern.split(" ");
    const match = new RegExp(`^${path.replaceAll("*", "([^/]+)")}$`).exec(asked.path);
    if (method === asked.method && match) return answer(asked, match.slice(1));
  }
  return undefined;
}

/** Something that is under way: what it becomes after so many looks. */
export interface UnderWay {
  looks: number;
  become(): void;
}

/** Counts a look; the cloud's time is how often one looks. */
export function look(thing: { underWay?: UnderWay | undefined }): void {
  const { underWay } = thing;
  if (!underWay || underWay.looks-- > 0) return;
  thing.underWay = undefined;
  underWay.become();
}
