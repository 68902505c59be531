/** Measurements by row; prints medians with their range, and the ratios that the product is held to. */
export class Table {
  readonly #tell: (line: string) => void;
  readonly #values = new Map<string, { unit: string; values: number[] }>();
  readonly #broken: string[] = [];

  /** @param tell hears of each figure when it is known: the whole takes the better part of an hour */
  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  add(name: string, value: number, unit: string): void {
    this.#tell(`${name} ${round(value)} ${unit}`);
    const row = this.#values.get(name) ?? { unit, values: [] };
    row.values.push(value);
    this.#values.set(name, row);
  }

  /** Notes two figures that must agree. */
  check(what: string, one: number, other: number): void {
    if (one !== other) this.#broken.push(`${what}: ${one} against ${other}`);
  }

  /** Notes a rule that must hold. */
  hold(rule: string, holds: boolean): void {
    if (holds) return;
    this.#broken.push(`does not hold: ${rule}`);
    this.#tell(`does not hold: ${rule}`);
  }

  get sound(): boolean {
    return this.#broken.length === 0;
  }

  rows(): { name: string; value: number; unit: string }[] {
    return [...this.#values].map(([name, row]) => ({ name, value: round(median(row.values)), unit: row.unit }));
  }

  text(): string {
    const lines = [...this.#values].map(([name, { unit, values }]) => {
      const range = values.length > 1 ? `${round(Math.min(...values))} .. ${round(Math.max(...values))}` : '';
      return `${name.padEnd(24)} ${String(round(median(values))).padStart(10)} ${unit.padEnd(4)} ${range}`;
    });
    return [...lines, '', ...this.#ratios(), ...this.#broken.map((line) => `BROKEN ${line}`)].join('\n');
  }

  #ratios(): string[] {
    const of = (name: string): number => median(this.#values.get(name)?.values ?? []);
    const peers = Math.max(...['pgboss', 'bullmq', 'dbos', 'graphile'].map(of).filter(Number.isFinite));
    const ratios: [string, number][] = [
      ['plain steps / best peer', of('plain_steps') / peers],
      ['plain steps / bare', of('plain_steps') / of('bare_plain')],
      ['plain steps, 10,000 waiting / all', of('plain_steps_10k') / of('plain_steps')],
      ['mixed / bare', of('mixed_steps') / of('bare_mixed')],
      ['effects / bare', of('effects') / of('bare_effects')],
      ['lean bare / pg-boss', of('bare_lean') / of('pgboss')],
    ];
    return ratios
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => `${name.padEnd(36)} ${value.toFixed(2)}`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
