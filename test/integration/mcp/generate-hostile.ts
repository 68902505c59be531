import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { decidedByTool, type Hostile, refusedBySchema } from './hostile-inputs.ts';

/** Random numbers that are the same for the same seed (mulberry32), so that a failure can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface GenerateOptions {
  tool: AnyTool;
  own: Record<string, unknown>;
  foreign: Record<string, unknown>;
  random: () => number;
}

/** Texts longer than this are left to the test that knows each case; here they would only cost time. */
const MAX_CASE = 20_000;
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  '\u202e',
  '😀'.repeat(50),
  "' or 1=1 --",
  '${7*7}',
  '{{lead:firstName}}',
  '../..',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T25:61:00Z',
  [],
  [[]],
  [null],
  {},
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { constructor: {} },
  { $ne: null },
];

/** An endless supply of bad calls of one tool: known bad ones, crossed with each other and bent at random places. */
export function hostileCalls({ tool, own, foreign, random }: GenerateOptions): () => Hostile {
  const known = [...refusedBySchema(tool, own), ...decidedByTool(tool, own, foreign)].filter(
    ({ json }) => json.length < MAX_CASE && isObject(json),
  );
  const ids = [...Object.values(own), ...Object.values(foreign)];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const oddValue = (): unknown => (random() < 0.25 ? pick(ids) : structuredClone(pick(ODD)));
  return () => {
    const [first, second] = [pick(known), pick(known)];
    const args = crossed(JSON.parse(first.json), JSON.parse(second.json), random);
    for (let bends = Math.floor(random() * 3); bends > 0; bends--) bend(args, random, oddValue);
    return { what: `${first.what} × ${second.what}`, json: JSON.stringify(args) };
  };
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}

type Args = Record<string, unknown>;

/** Each field from one of two calls. */
function crossed(one: Args, other: Args, random: () => number): Args {
  const args: Args = Object.create(null);
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const from = random() < 0.5 ? one : other;
    if (Object.hasOwn(from, name)) args[name] = from[name];
  }
  return args;
}

/** Replaces, drops or adds something at a random depth. */
function bend(target: Args, random: () => number, oddValue: () => unknown): void {
  let place: Args = target;
  for (;;) {
    const names = Object.keys(place);
    const name = names[Math.floor(random() * names.length)];
    if (name === undefined || random() < 0.1) {
      place[`odd${Math.floor(random() * 9)}`] = oddValue();
      return;
    }
    const inner = place[name];
    if (inner !== null && typeof inner === 'object' && random() < 0.7) {
      place = inner as Args;
      continue;
    }
    if (random() < 0.2) delete place[name];
    else place[name] = oddValue();
    return;
  }
}
