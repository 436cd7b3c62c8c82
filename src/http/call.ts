import type { Command, StoredRecord } from "../../actors/runtime/actor.ts";
import type { Done, Once, Replayed } from "../../actors/runtime/mailbox.ts";
import { notFound } from "../../schema/errors.ts";
import { type Caller, systemCaller, type TenantScope } from "../../schema/permissions.ts";
import { isId } from "../../schema/values.ts";
import type { Landfall } from "../landfall.ts";
import { alone, onceOf } from "./idempotency.ts";

/** An answer that was given before, to be given again (`Idempotency-Replayed`). */
export class Replay {
  constructor(
    readonly status: number,
    readonly data: unknown,
  ) {}
}

/** The path of a URL, as it was sent. */
export function pathOf(url: string): string {
  const start = url.startsWith("http") ? url.indexOf("/", 8) : 0;
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** A path may end in a slash; it is the same without. */
export const withoutSlash = (path: string): string => path.replace(/\/$/, "");

/** One HTTP call: its ids, who makes it, and the way from it to the actors. */
export class Call {
  /** Set once the token was checked. */
  caller!: Caller;
  scope!: TenantScope;
  sight: TenantScope = null;
  /** What a list says beside its items, and whatever else the answer's `meta` tells. */
  meta: object = {};
  /** Header fields of the answer, beside those that every one has. */
  headers: Record<string, string> = {};
  body: unknown;
  /** Whether the answer goes into the envelope; documents do not. */
  enveloped = false;
  /** Where a new record is found; absent: its id below the path that made it. */
  location?: string;

  readonly path: string;
  readonly requestId: string;
  readonly correlationId: string;

  /** The gateway has written the ids on the request. */
  constructor(
    private readonly landfall: Landfall,
    readonly request: Request,
  ) {
    this.path = pathOf(request.url);
    this.requestId = request.headers.get("x-request-id") ?? "";
    this.correlationId = request.headers.get("x-correlation-id") ?? "";
  }

  authenticate(): Caller | Promise<Caller> {
    return this.landfall.authenticate(this.request);
  }

  /** For the doors that need no token: the service itself acts. */
  actAs(service: string): void {
    this.caller = systemCaller(service);
    this.scope = null;
  }

  /** Sends a command to the record with this id (absent: a new one) and answers what `present` makes of it. */
  async send<State, Input, View>(
    command: Command<State, Input>,
    id: string | undefined,
    input: Input,
    present: (state: State, before: State | null, also: readonly StoredRecord[]) => View,
    status = 200,
  ): Promise<View> {
    const order = {
      ...(id === undefined ? {} : { id: this.named(command, id) }),
      input,
      origin: this.origin(),
      ...this.precondition(),
    };
    const { state, before, also } = await this.once<Done<State>, Done<State>>(
      (done) => present(done.state, null, done.also),
      status,
      (once) => this.landfall.mailbox.send(command, { ...order, ...(once ? { once } : {}) }),
    );
    return present(state, before, also);
  }

  /** Sends commands that succeed or fail together, and answers what `present` makes of what they came to. */
  async sendAll<View>(
    orders: readonly { command: Command; id?: string; input: unknown }[],
    present: (outcomes: Done<unknown>[]) => View,
  ): Promise<View> {
    const origin = this.origin();
    const sent = orders.map((order) => ({ ...order, origin }));
    return present(await this.once(present, 200, (once) => this.landfall.mailbox.sendAll(sent, once)));
  }

  private named({ actor }: Command, id: string): string {
    if (!isId(id)) throw notFound(actor.name);
    return id;
  }

  private origin() {
    const { caller, scope, sight, requestId, correlationId } = this;
    return { caller, scope, sight, requestId, correlationId, causationId: null };
  }

  /** Does work that an `Idempotency-Key` may make count once; throws the `Replay` of what it came to before. */
  private async once<Kept, Result>(
    answer: (result: Kept) => unknown,
    status: number,
    work: (once: Once<Kept> | null) => Promise<Result | Replayed>,
  ): Promise<Result> {
    const once = onceOf<Kept>(this.landfall.world.vault, this, answer, status);
    const ending = once ? await alone(this.landfall.underWay, once, () => work(once)) : await work(null);
    const { replayed } = ending as Partial<Replayed>;
    if (replayed) throw new Replay(replayed.status, replayed.answer);
    return ending as Result;
  }

  private precondition(): { ifMatch?: number[] } {
    const header = this.request.headers.get("if-match");
    // Where no token is needed, no version was given that a client could name.
    if (header === null || header === "*" || this.caller.kind === "system") return {};
    // Any other tag names no version that we have given, so it can't match.
    const versions = header.split(",").map((tag) => /^\s*"([1-9]\d*)"\s*$/.exec(tag)?.[1]);
    return { ifMatch: versions.flatMap((version) => (version === undefined ? [] : [Number(version)])) };
  }
}
