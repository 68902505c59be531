/**
 * Seeded randomness. Everything that looks random in the product (arms, jitter, gaps) is a function of a seed, so
 * that a retry or a restart gives the same answer.
 */

/** Two 32-bit halves of a hash (cyrb53); well mixed, not for security. */
function hashHalves(text: string): [number, number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  const mixedHigh = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const mixedLow = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(mixedHigh ^ (mixedHigh >>> 13), 3266489909);
  return [mixedHigh >>> 0, mixedLow >>> 0];
}

/** A number in [0, 1) that depends on nothing but the parts. */
export function hashFloat(...parts: readonly (string | number)[]): number {
  const [high, low] = hashHalves(parts.join('\u0000'));
  return ((high & 0x1fffff) * 4294967296 + low) / 9007199254740992;
}

/** A stream of numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(...parts: readonly (string | number)[]): () => number {
  let state = hashHalves(parts.join('\u0000'))[1];
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A standard normal number from two uniform ones (Box and Muller). */
export function normalFrom(first: number, second: number): number {
  const safe = Math.max(first, Number.MIN_VALUE);
  return Math.sqrt(-2 * Math.log(safe)) * Math.cos(2 * Math.PI * second);
}

/** A whole number of milliseconds in [0, maxMs], fixed by the parts. */
export function seededJitter(maxMs: number, ...parts: readonly (string | number)[]): number {
  return maxMs <= 0 ? 0 : Math.floor(hashFloat(...parts) * (maxMs + 1));
}
