import type { Clock } from '../../pkg/base/clock.ts';
import type { Ids } from '../../pkg/base/ids.ts';
import { profileId } from '../../pkg/domain/person-identity.ts';
import { providerIdOf } from './person.ts';
import { type Behaviour, behaviourOf, DEFAULT_POPULATION, type Population } from './population.ts';
import type { Store } from './store.ts';

export interface WorldOptions {
  store: Store;
  /** Product time: what people do. */
  clock: Clock;
  /** Real time: how long lists lag. */
  real: Clock;
  ids: Ids;
  seed: string;
  /** Host names that webhooks may go to besides this machine's own. */
  webhookHosts: readonly string[];
}

const YEAR_MS = 365 * 86_400_000;
/** Drawn people that are remembered at most. */
const MAX_DRAWN = 10_000;

export interface AccountRow {
  id: string;
  status: string;
  created_at: number;
}

export type EventKind = 'accept' | 'reply' | 'webhook' | 'mail';

/** Accounts, people and their planned doings: what all parts of the sandbox share. */
export class World {
  readonly store: Store;
  readonly clock: Clock;
  readonly real: Clock;
  readonly ids: Ids;
  readonly seed: string;
  readonly webhookHosts: readonly string[];
  /** People as they were drawn from the population that is saved as `from`. */
  #drawn: { from: string | undefined; people: Map<string, Behaviour> } = { from: undefined, people: new Map() };
  /** Epoch ms before which no event is due; undefined: to be asked. A plan that was rolled back only makes it too early. */
  #nextDue: number | null | undefined;

  constructor(options: WorldOptions) {
    this.store = options.store;
    this.clock = options.clock;
    this.real = options.real;
    this.ids = options.ids;
    this.seed = options.seed;
    this.webhookHosts = options.webhookHosts;
  }

  population(): Population {
    return parsePopulation(this.#savedPopulation());
  }

  setPopulation(population: Partial<Population>): void {
    const value = JSON.stringify({ ...this.population(), ...population });
    this.store.run(`insert or replace into setting (name, value) values ('population', ?)`, value);
  }

  behaviour(publicId: string): Behaviour {
    const drawn = this.#draw(publicId);
    const script = this.store.one<{ behaviour: string }>('select behaviour from person where public_id = ?', publicId);
    return script ? { ...drawn, ...(JSON.parse(script.behaviour) as Partial<Behaviour>) } : drawn;
  }

  setBehaviour(publicId: string, behaviour: Partial<Behaviour>): void {
    const value = JSON.stringify(behaviour);
    this.store.run('insert or replace into person (public_id, behaviour) values (?, ?)', publicId, value);
  }

  /** Any account id works: it exists from its first use on. */
  account(accountId: string): AccountRow {
    const known = this.store.one<AccountRow>('select * from account where id = ?', accountId);
    if (known) return known;
    const now = this.clock.now();
    this.store.run('insert into account (id, created_at) values (?, ?)', accountId, now);
    return { id: accountId, status: 'OK', created_at: now };
  }

  /** The person behind a public id, a profile address or a provider id of this account; null when there is none. */
  resolve(accountId: string, id: string): string | null {
    const known = this.store.one<{ public_id: string }>(
      'select public_id from identity where provider_id = ? and account_id = ?',
      id,
      accountId,
    );
    if (known) return known.public_id;
    if (id.startsWith('ACo')) return null;
    const publicId = profileId(id);
    if (!publicId || this.behaviour(publicId).missing) return null;
    return publicId;
  }

  /** The person's id for this account; remembered, so that it can be resolved again. */
  providerId(accountId: string, publicId: string): string {
    const id = providerIdOf(this.seed, accountId, publicId);
    this.store.run(
      'insert or ignore into identity (provider_id, account_id, public_id) values (?, ?, ?)',
      id,
      accountId,
      publicId,
    );
    return id;
  }

  /** Connected through an accepted invitation, or from the beginning, unless the person has removed the connection since. */
  connected(accountId: string, publicId: string): boolean {
    if (this.behaviour(publicId).connected && !this.removed(accountId, publicId)) {
      const since = this.account(accountId).created_at - YEAR_MS;
      this.connect(accountId, publicId, since);
    }
    return (
      this.store.one('select 1 as x from relation where account_id = ? and public_id = ?', accountId, publicId) !==
      undefined
    );
  }

  /** Whether the person was a connection and removed it, and has accepted no request since. */
  removed(accountId: string, publicId: string): boolean {
    const row = this.store.one(
      'select 1 as x from removed where account_id = ? and public_id = ?',
      accountId,
      publicId,
    );
    return row !== undefined;
  }

  /** The person removes the connection. False when there is none. */
  disconnect(accountId: string, publicId: string): boolean {
    if (!this.connected(accountId, publicId)) return false;
    this.store.run('delete from relation where account_id = ? and public_id = ?', accountId, publicId);
    this.store.run('insert or ignore into removed (account_id, public_id) values (?, ?)', accountId, publicId);
    return true;
  }

  connect(accountId: string, publicId: string, at: number): void {
    this.store.run('delete from removed where account_id = ? and public_id = ?', accountId, publicId);
    this.store.run(
      'insert or ignore into relation (account_id, public_id, connected_at) values (?, ?, ?)',
      accountId,
      publicId,
      at,
    );
  }

  /** Plans something for a moment of product time. */
  plan(dueAt: number, kind: EventKind, accountId: string, publicId: string, payload: object = {}): void {
    const at = Math.ceil(dueAt);
    this.store.run(
      'insert into event (due_at, kind, account_id, public_id, payload) values (?, ?, ?, ?, ?)',
      at,
      kind,
      accountId,
      publicId,
      JSON.stringify(payload),
    );
    if (this.#nextDue !== undefined) this.#nextDue = Math.min(this.#nextDue ?? at, at);
  }

  /** Epoch ms before which no planned event is due, null when nothing is planned. */
  nextDue(): number | null {
    if (this.#nextDue === undefined)
      this.#nextDue = this.store.one<{ due: number | null }>('select min(due_at) as due from event')?.due ?? null;
    return this.#nextDue;
  }

  /** To be called when events have happened: the next one has to be asked for again. */
  forgetNextDue(): void {
    this.#nextDue = undefined;
  }

  /** Writes the ledger: only what was really done. `kind` is a budget action of the catalog. */
  receive(entry: {
    accountId: string;
    kind: string;
    publicId: string;
    idempotencyKey: string | null;
    text: string | null;
  }): void {
    this.store.run(
      'insert into received (at, account_id, kind, public_id, idempotency_key, text) values (?, ?, ?, ?, ?, ?)',
      this.clock.now(),
      entry.accountId,
      entry.kind,
      entry.publicId,
      entry.idempotencyKey,
      entry.text,
    );
  }

  #draw(publicId: string): Behaviour {
    const from = this.#savedPopulation();
    if (from !== this.#drawn.from || this.#drawn.people.size >= MAX_DRAWN) this.#drawn = { from, people: new Map() };
    const { people } = this.#drawn;
    const drawn = people.get(publicId) ?? behaviourOf(this.seed, publicId, parsePopulation(from));
    people.set(publicId, drawn);
    return drawn;
  }

  #savedPopulation(): string | undefined {
    return this.store.one<{ value: string }>(`select value from setting where name = 'population'`)?.value;
  }
}

function parsePopulation(saved: string | undefined): Population {
  return saved ? { ...DEFAULT_POPULATION, ...(JSON.parse(saved) as Partial<Population>) } : DEFAULT_POPULATION;
}
