import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { Connections } from '../../../pkg/base/http/connections.ts';
import { networkOf } from '../../../pkg/base/http/network-of.ts';

/** As much of a socket as bounds look at. */
class Line extends EventEmitter {
  destroyed = false;
  bytesRead = 0;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

describe('connections of a listener', () => {
  let now: number;
  let idle: Line[];
  let connections: Connections;
  beforeEach(() => {
    now = 0;
    idle = [];
    const endIdle = (): void => {
      for (const line of idle.splice(0)) line.destroy();
    };
    connections = new Connections({ total: 6, perAddress: 4 }, () => now, endIdle);
  });
  const open = (address: string): Line => {
    const line = new Line(address);
    connections.opened(line as unknown as Socket);
    return line;
  };
  const asking = (address: string): Line => {
    const line = open(address);
    connections.asked(line as unknown as Socket);
    return line;
  };
  const fates = (lines: readonly Line[]): string => lines.map((line) => (line.destroyed ? 'x' : 'o')).join('');

  it('the one of an address that is silent for longest gives way to its next one, and those of others stay', () => {
    const other = open('192.0.2.9');
    const own = ['1', '2', '3', '4'].map(() => open('192.0.2.1'));
    now = 600;
    expect(fates([open('192.0.2.1'), ...own, other])).to.equal('oxoooo');
    own.push(open('192.0.2.1'));
    expect(fates(own)).to.equal('xxooo');
  });

  it('a new one has half a second to ask', () => {
    const own = ['1', '2', '3', '4'].map(() => open('192.0.2.1'));
    now = 499;
    expect(fates([...own, open('192.0.2.1')])).to.equal('oooox');
  });

  it('of many addresses the one that is silent for longest gives way, then those that idle, and never one that is answered', () => {
    const busy = [asking('192.0.2.1'), asking('192.0.2.2'), asking('192.0.2.3')];
    const silent = open('192.0.2.4');
    idle = [asking('192.0.2.5'), asking('192.0.2.6')];
    const waiting = [...idle];
    now = 600;
    expect(open('192.0.2.7').destroyed).to.equal(false);
    expect(fates([silent, ...waiting, ...busy])).to.equal('xooooo');
    expect(open('192.0.2.8').destroyed, 'the last one has just come').to.equal(false);
    expect(fates([...waiting, ...busy])).to.equal('xxooo');
    expect(open('192.0.2.10').destroyed).to.equal(false);
    expect(fates([open('192.0.2.11'), ...busy]), 'no other is silent for half a second').to.equal('xooo');
    now = 1_200;
    expect(fates([open('192.0.2.12'), ...busy])).to.equal('oooo');
  });

  it('an address with less than its share has a place at once where others hold more than theirs, and none who began to ask loses it', () => {
    const many = ['1', '1', '1', '1', '2', '2'].map((address) => open(`192.0.2.${address}`));
    const [speaking] = many;
    if (speaking) speaking.bytesRead = 1;
    const other = open('192.0.2.9');
    expect(fates([other, ...many]), 'nobody is silent for half a second').to.equal('ooxoooo');
    expect(fates([open('192.0.2.1'), ...many]), 'who has more than its share waits').to.equal('xoxoooo');
    other.bytesRead = 1;
    now = 600;
    for (let more = 0; more < 5; more++) open('192.0.2.1');
    expect(fates([other, ...many.slice(4)]), 'a flood replaces its own').to.equal('ooo');
  });

  it('what is closed is free again, once', () => {
    const own = ['1', '2', '3', '4'].map(() => asking('192.0.2.1'));
    expect(open('192.0.2.1').destroyed).to.equal(true);
    own[0]?.emit('close');
    own[0]?.emit('close');
    expect(open('192.0.2.1').destroyed).to.equal(false);
    expect(open('192.0.2.1').destroyed).to.equal(true);
  });

  it('an address is an IPv4 address, or the half of an IPv6 one that a customer has', () => {
    for (const [address, network] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
      ['2001:db8::5:6', '2001:db8:0:0::/64'],
      ['2001:db8::', '2001:db8:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      [undefined, ''],
    ] as const)
      expect(networkOf(address), address).to.equal(network);
  });
});
