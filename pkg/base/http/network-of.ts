/**
 * Whom bounds and delays per address mean: an IPv4 address, or the /64 of an IPv6 one, which a provider gives to one customer as a
 * whole. Without one: ''.
 */
export function networkOf(address = ''): string {
  const v4 = address.startsWith('::ffff:') ? address.slice(7) : address;
  if (!v4.includes(':')) return v4;
  const [left = '', right] = (v4.split('%')[0] ?? '').split('::');
  const groups = left === '' ? [] : left.split(':');
  // What '::' leaves out are zeros, in the first half of an address or behind it.
  const behind = right === undefined || right === '' ? [] : right.split(':');
  while (right !== undefined && groups.length + behind.length < 8) groups.push('0');
  return `${[...groups, ...behind].slice(0, 4).join(':')}::/64`;
}
