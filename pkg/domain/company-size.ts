/** A range of heads; `max` Infinity for `10001+`. */
export interface SizeRange {
  min: number;
  max: number;
}

const number = (text: string) => Number(text.replace(/[.,\s']/g, ''));

/** `11-50`, `1,001 - 5,000`, `10001+`, `>500`, `200`; null when it is no size. */
export function sizeRange(text: string): SizeRange | null {
  const plain = text
    .toLowerCase()
    .replace(/employees?|people|staff/g, '')
    .trim();
  const range = /^([\d.,' ]+?)\s*(?:-|–|to|bis)\s*([\d.,' ]+)$/.exec(plain);
  if (range) {
    const [min, max] = [number(range[1] ?? ''), number(range[2] ?? '')];
    return min <= max ? { min, max } : null;
  }
  const open = /^([\d.,']+)\s*\+$|^>\s*([\d.,']+)$/.exec(plain);
  if (open) return { min: number(open[1] ?? open[2] ?? ''), max: Number.POSITIVE_INFINITY };
  const exact = /^[\d.,']+$/.test(plain) ? number(plain) : Number.NaN;
  return Number.isFinite(exact) ? { min: exact, max: exact } : null;
}

/** Whether two sizes overlap; a size that cannot be read matches only its own spelling. */
export function sizesMatch(known: string, wanted: string): boolean {
  const [left, right] = [sizeRange(known), sizeRange(wanted)];
  if (!left || !right) return known.trim() !== '' && known.trim().toLowerCase() === wanted.trim().toLowerCase();
  return left.min <= right.max && right.min <= left.max;
}
