import { createHash } from "node:crypto";
import type { Command } from "../../actors/runtime/actor.ts";
import type { Once } from "../../actors/runtime/mailbox.ts";
import { notFound, ServiceError } from "../../schema/errors.ts";
import { type Caller, systemCaller, type TenantScope } from "../../schema/permissions.ts";
import { isId } from "../../schema/values.ts";
import type { Landfall } from "../landfall.ts";

/** An answer that was given before, to be given again (`Idempotency-Replayed`). */
export class Replay {
  constructor(
    readonly status: number,
    readonly data: unknown,
  ) {}
}

/** One HTTP call: its ids, who makes it, and the way from it to the actors. */
export class Call {
  /** Set once the token was checked. */
  caller!: Caller;
  scope!: TenantScope;
  /** What a list says beside its items. */
  page: {
    total: number;
    page: number;
    per_page: number;
    has_more: boolean;
    next_cursor: string | null;
  } | null = null;
  body: unknown;
  /** Whether the answer goes into the envelope; documents do not. */
  enveloped = false;
  /** Where a new record is found; absent: its id below the path that made it. */
  location?: string;

  constructor(
    private readonly landfall: Landfall,
    readonly request: Request,
    readonly path: string,
    readonly requestId: string,
    readonly correlationId: string,
  ) {}

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
    present: (state: State, before: State | null) => View,
    status = 200,
  ): Promise<View> {
    const { caller, scope, requestId, correlationId } = this;
    if (id !== undefined && !isId(id)) throw notFound(command.actor.name);
    const outcome = await this.landfall.mailbox.send(command, {
      ...(id === undefined ? {} : { id }),
      input,
      origin: { caller, scope, requestId, correlationId, causationId: null },
      ...this.precondition(),
      ...this.once((state: State) => present(state, null), status),
    });
    if (outcome.replayed) throw new Replay(outcome.replayed.status, outcome.replayed.answer);
    return present(outcome.state, outcome.before);
  }

  private precondition(): { ifMatch?: number[] } {
    const header = this.request.headers.get("if-match");
    if (header === null || header === "*") return {};
    // Any other tag names no version that we have given, so it can't match.
    const versions = header.split(",").map((tag) => /^\s*"([1-9]\d*)"\s*$/.exec(tag)?.[1]);
    return { ifMatch: versions.flatMap((version) => (version === undefined ? [] : [Number(version)])) };
  }

  private once<State>(answer: (state: State) => unknown, status: number): { once?: Once<State> } {
    const key = this.request.headers.get("idempotency-key");
    if (key === null || this.request.method !== "POST" || this.caller.kind === "system") return {};
    if (key.length < 1 || key.length > 255) {
      const errors = [{ pointer: "header/Idempotency-Key", message: "Must have 1 to 255 characters." }];
      throw new ServiceError("validation_failed", "The request has a field that is not valid.", { errors });
    }
    const path = this.path.replace("/api/v1/", "/api/");
    const id = sha256(JSON.stringify([this.caller.kind, this.caller.id, this.request.method, path, key]));
    return { once: { id, fingerprint: sha256(JSON.stringify(this.body ?? null)), status, answer } };
  }
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
