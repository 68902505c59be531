import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Everything that is not the public internet: private, link-local, loopback, shared, reserved, multicast, translated. */
const NOT_PUBLIC: readonly (readonly [net: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const blocked4 = new BlockList();
for (const [net, bits] of NOT_PUBLIC) blocked4.addSubnet(net, bits, 'ipv4');
// Of IPv6 only global unicast is public, without its tunnels and documentation ranges.
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const blocked6 = new BlockList();
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  blocked6.addSubnet(net, bits, 'ipv6');
}

/** Whether an address is one of the public internet. An IPv4 address inside an IPv6 one is judged as not public. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 4) return !blocked4.check(plain, 'ipv4');
  return isIP(plain) === 6 && global6.check(plain, 'ipv6') && !blocked6.check(plain, 'ipv6');
}

/** Refused after the resolution of a name. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Resolves names for sockets and refuses a name with any address that is not public: what is connected is what was checked. */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '');
    const addresses = Array.isArray(found) ? found : [];
    if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address))) {
      return done(new PrivateAddressError(`${hostname} has an address that is not public`), '');
    }
    const [first] = addresses;
    if (options.all) done(null, addresses);
    else done(null, first?.address ?? '', first?.family);
  });
};
