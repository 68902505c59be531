import { type Behaviour, behaviourOf, DEFAULT_POPULATION, type Population } from '../../cmd/sandbox/population.ts';
import type { Clock } from '../../pkg/base/clock.ts';
import { hashFloat } from '../../pkg/domain/random.ts';
import {
  type AccountRef,
  type NetworkAction,
  type NetworkMessage,
  type NetworkProfile,
  type NetworkProvider,
  type Page,
  type PerformResult,
  ProviderError,
} from '../../pkg/providers/network/network-provider.ts';
import { FakeNetwork } from '../fixtures/engine/fake-network.ts';

/** What the network saw of one action. */
export interface Act {
  /** Epoch ms product time. */
  at: number;
  account: string;
  /** Workspace that did it, where several do. */
  by: string;
  kind: NetworkAction['kind'];
  publicId: string;
  text: string;
}

/** Shares (0 to 1) of actions that go wrong. */
export interface Faults {
  /** Done, and the answer is lost. */
  lost: number;
  /** Not done, and nobody knows. */
  vanished: number;
  /** Refused before anything was done. */
  unavailable: number;
}
const NO_FAULTS: Faults = { lost: 0, vanished: 0, unavailable: 0 };

const TEXTS: Record<Exclude<Behaviour['reply'], 'none'>, string> = {
  positive: 'Sounds good, let us talk next week.',
  neutral: 'Who are you?',
  negative: 'Not interested, thanks.',
  out_of_office: 'I am out of office.',
  stop: 'Please unsubscribe me.',
};

/** The sandbox's people, in memory and on a stepped clock: they accept and answer when their seed says so. */
export class SimulatedNetwork extends FakeNetwork {
  readonly acts: Act[] = [];
  /** The workspace whose executor is at work, where there are several. */
  atWork = '';
  faults = NO_FAULTS;
  readonly #clock: Clock;
  readonly #seed: string;
  readonly #population: Population;
  readonly #people = new Map<string, Behaviour>();
  /** `account person` -> when it was requested. */
  readonly #requested = new Map<string, number>();
  /** `account person` -> conversation. */
  readonly #chats = new Map<string, NetworkMessage[]>();
  #tries = 0;

  constructor(clock: Clock, seed: string, population: Partial<Population> = {}) {
    super();
    this.#clock = clock;
    this.#seed = seed;
    this.#population = { ...DEFAULT_POPULATION, ...population };
    this.settleAfterMs = 60_000;
  }

  behaviour(publicId: string): Behaviour {
    const known = this.#people.get(publicId) ?? behaviourOf(this.#seed, publicId, this.#population);
    this.#people.set(publicId, known);
    return known;
  }

  override async perform(account: AccountRef, action: NetworkAction): Promise<PerformResult> {
    const draw = hashFloat(this.#seed, 'fault', this.#tries++);
    const { lost, vanished, unavailable } = this.faults;
    if (draw < unavailable) throw new ProviderError('unavailable_before_send', 'simulated');
    if (draw < unavailable + vanished) throw new ProviderError('unknown_outcome', 'simulated: not done');
    const done = await super.perform(account, action);
    const { kind, publicId, text = '' } = action;
    const at = this.#clock.now();
    this.acts.push({ at, account: account.externalId, by: this.atWork, kind, publicId, text });
    const key = `${account.externalId} ${publicId}`;
    if (kind === 'connection_request') this.#requested.set(key, at);
    if (kind === 'withdraw_request') this.#requested.delete(key);
    if (kind === 'message') this.#converse(key, publicId, at, text);
    if (draw > 1 - lost) throw new ProviderError('unknown_outcome', 'simulated: the answer is lost');
    return done;
  }

  #converse(key: string, publicId: string, at: number, text: string): void {
    const chat = this.#chats.get(key) ?? [];
    this.#chats.set(key, chat);
    const chatId = `chat-${publicId}`;
    chat.push({ messageId: `${key}/${chat.length}`, chatId, direction: 'out', text, sentAt: at });
    const { reply, replyToMessage, replyAfterMs } = this.behaviour(publicId);
    const ours = chat.filter((message) => message.direction === 'out').length;
    if (reply === 'none' || ours !== replyToMessage) return;
    const answer = { messageId: `${key}/${chat.length}`, chatId, direction: 'in' as const, text: TEXTS[reply] };
    chat.push({ ...answer, sentAt: at + replyAfterMs });
  }

  /** When the account's request was or will be accepted, null: never. */
  #acceptedAt(key: string, publicId: string): number | null {
    const requested = this.#requested.get(key);
    const { accepts, acceptAfterMs, connected } = this.behaviour(publicId);
    if (connected) return 0;
    return requested !== undefined && accepts ? requested + acceptAfterMs : null;
  }

  #isConnected(account: string, publicId: string): boolean {
    const at = this.#acceptedAt(`${account} ${publicId}`, publicId);
    return at !== null && at <= this.#clock.now();
  }

  override async lookupProfile(
    account: AccountRef,
    profile: { publicId: string } | { providerId: string },
  ): Promise<NetworkProfile> {
    const known = await super.lookupProfile(account, profile);
    const connected = this.#isConnected(account.externalId, known.publicId);
    const pending = !connected && this.#requested.has(`${account.externalId} ${known.publicId}`);
    return { ...known, connected, pending };
  }

  override async listSkills(account: AccountRef, providerId: string): ReturnType<NetworkProvider['listSkills']> {
    const { skills } = await super.listSkills(account, providerId);
    return { skills, connected: (await this.lookupProfile(account, { providerId })).connected };
  }

  #peopleOf(account: string): string[] {
    const start = `${account} `;
    return [...this.#requested.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  }

  override listRelations(account?: AccountRef): ReturnType<NetworkProvider['listRelations']> {
    const own = account?.externalId ?? '';
    const items = this.#peopleOf(own)
      .filter((publicId) => this.#isConnected(own, publicId))
      .map((publicId) => ({
        providerId: `ACo${publicId}`,
        publicId,
        name: '',
        headline: '',
        connectedAt: this.#acceptedAt(`${own} ${publicId}`, publicId),
      }));
    return Promise.resolve({ items, cursor: null });
  }

  override listSentInvitations(account?: AccountRef): ReturnType<NetworkProvider['listSentInvitations']> {
    const own = account?.externalId ?? '';
    const items = this.#peopleOf(own)
      .filter((publicId) => !this.#isConnected(own, publicId))
      .map((publicId) => ({
        invitationId: `inv-${own}-${publicId}`,
        providerId: `ACo${publicId}`,
        publicId,
        text: null,
        sentAt: this.#requested.get(`${own} ${publicId}`) ?? null,
      }));
    return Promise.resolve({ items, cursor: null });
  }

  #messages(account: string, publicId: string): NetworkMessage[] {
    const all = this.#chats.get(`${account} ${publicId}`) ?? [];
    return all.filter((message) => message.sentAt <= this.#clock.now()).toReversed();
  }

  override listChats(account?: AccountRef): ReturnType<NetworkProvider['listChats']> {
    const start = `${account?.externalId} `;
    const people = [...this.#chats.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
    const items = people.map((publicId) => ({
      chatId: `chat-${publicId}`,
      providerId: `ACo${publicId}`,
      publicId,
      name: publicId,
      lastMessageAt: this.#messages(account?.externalId ?? '', publicId)[0]?.sentAt ?? 0,
      unread: 0,
      inMail: false,
    }));
    return Promise.resolve({ items, cursor: null });
  }

  override listMessages(account: AccountRef, chatId: string): Promise<Page<NetworkMessage>> {
    return Promise.resolve({ items: this.#messages(account.externalId, chatId.slice(5)), cursor: null });
  }
}
