import type { Socket } from 'node:net';
import { networkOf } from './network-of.ts';

/** How many connections may be open, of all and of one address. */
export interface ConnectionBounds {
  total: number;
  perAddress: number;
}

/** Ms for which a new connection need not give way: one that means to ask does so at once. */
const GRACE_MS = 500;

/** Whether a byte came: it means to ask, or to seem so. */
function hasSpoken(socket: Socket): boolean {
  return socket.bytesRead > 0;
}

/** The connections of one address. */
interface Address {
  network: string;
  open: number;
  silent: Set<Socket>;
}

/**
 * Bounds the connections of a listener, so that those who open many and ask nothing keep nobody out: when there are as many as there
 * may be, of an address the one that has been silent for longest gives way to the new one, and of all the one of the address that
 * holds most, then those that idle between two requests. An address that holds less than its share (all places, divided by the
 * addresses and one more) has a place at once where another holds more than that. One that is being answered never gives way: then
 * the new one is closed.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #now: () => number;
  readonly #endIdle: () => void;
  readonly #open = new Map<Socket, Address>();
  readonly #addresses = new Map<string, Address>();
  /** Those that asked nothing yet, by the ms in which they came, the oldest first. */
  readonly #silent = new Map<Socket, number>();
  #idleEndedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now monotonic ms
   * @param endIdle destroys the connections that wait for another request
   */
  constructor(bounds: ConnectionBounds, now: () => number, endIdle: () => void) {
    this.#bounds = bounds;
    this.#now = now;
    this.#endIdle = endIdle;
  }

  opened(socket: Socket): void {
    const network = networkOf(socket.remoteAddress);
    if (!this.#hasPlace(network)) {
      socket.destroy();
      return;
    }
    const address = this.#addresses.get(network) ?? { network, open: 0, silent: new Set() };
    this.#addresses.set(network, address);
    address.open++;
    address.silent.add(socket);
    this.#open.set(socket, address);
    this.#silent.set(socket, this.#now());
    socket.once('close', () => this.#closed(socket));
  }

  /** A whole head came. */
  asked(socket: Socket): void {
    if (this.#silent.delete(socket)) this.#open.get(socket)?.silent.delete(socket);
  }

  #hasPlace(network: string): boolean {
    const { total, perAddress } = this.#bounds;
    const address = this.#addresses.get(network);
    if (address && address.open >= perAddress && !this.#endOldest(address.silent)) return false;
    return this.#open.size < total || this.#endOfMost(address?.open ?? 0) || this.#endsIdle();
  }

  /** Ends a silent one of the address that holds most and has one. @param own how many the address of the new one holds */
  #endOfMost(own: number): boolean {
    const share = Math.max(1, Math.floor(this.#bounds.total / (this.#addresses.size + 1)));
    const byMost = [...this.#addresses.values()]
      .filter(({ open, silent }) => silent.size > 0 && open >= own)
      .sort((a, b) => b.open - a.open);
    for (const { open, silent } of byMost) {
      if (own < share && open > share && this.#endFirst(silent, (socket) => !hasSpoken(socket))) return true;
      if (this.#endOldest(silent)) return true;
    }
    return false;
  }

  #endFirst(silent: Iterable<Socket>, gives: (socket: Socket) => boolean): boolean {
    for (const socket of silent) {
      if (!gives(socket)) continue;
      this.#end(socket);
      return true;
    }
    return false;
  }

  /** One that said nothing at all, before one that began a head. */
  #endOldest(silent: ReadonlySet<Socket>): boolean {
    const isOver = (socket: Socket): boolean => this.#now() - (this.#silent.get(socket) ?? 0) >= GRACE_MS;
    const [oldest] = silent;
    if (oldest === undefined || !isOver(oldest)) return false;
    return this.#endFirst(silent, (socket) => !hasSpoken(socket) && isOver(socket)) || this.#endFirst(silent, isOver);
  }

  /** Not more often than what it looks through is worth. */
  #endsIdle(): boolean {
    if (this.#now() - this.#idleEndedAt < GRACE_MS) return false;
    this.#idleEndedAt = this.#now();
    this.#endIdle();
    for (const socket of this.#open.keys()) if (socket.destroyed) this.#end(socket);
    return this.#open.size < this.#bounds.total;
  }

  /** It counts no more from here on, not only when the system has closed it. */
  #end(socket: Socket): void {
    socket.destroy();
    this.#closed(socket);
  }

  #closed(socket: Socket): void {
    const address = this.#open.get(socket);
    if (!address) return;
    this.#open.delete(socket);
    this.#silent.delete(socket);
    address.silent.delete(socket);
    address.open--;
    if (address.open === 0) this.#addresses.delete(address.network);
  }
}
