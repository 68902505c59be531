/** Bytes of a whole, both ends with them. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * Reads a Range header (RFC 9110, 14.2).
 * @param bytes of the whole
 * @returns null: the whole is asked for, also by what is no single range of bytes, which a server may take as the whole
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '')
    return Number(last) === 0 ? 'unsatisfiable' : { from: Math.max(0, bytes - Number(last)), to: bytes - 1 };
  const from = Number(first);
  if (last !== '' && Number(last) < from) return null;
  if (from >= bytes) return 'unsatisfiable';
  return { from, to: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}
