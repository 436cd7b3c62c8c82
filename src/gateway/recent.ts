const maxKept = 100_000;

/**
 * What is known of each address for a while. It forgets an address that has not come for `keptMs` to twice that,
 * and sooner only where more than 100,000 come in that time, so that memory is bounded.
 */
export class Recent<T> {
  private current = new Map<string, T>();
  private before = new Map<string, T>();
  private sinceMs = 0;

  constructor(private readonly keptMs: number) {}

  get(address: string, nowMs: number): T | undefined {
    if (nowMs - this.sinceMs > this.keptMs || this.current.size >= maxKept) {
      this.before = nowMs - this.sinceMs > 2 * this.keptMs ? new Map() : this.current;
      this.current = new Map();
      this.sinceMs = nowMs;
    }
    return this.current.get(address) ?? this.before.get(address);
  }

  set(address: string, known: T): void {
    this.current.set(address, known);
  }
}
