import type { Behaviour } from '../../../cmd/sandbox/population.ts';
import type { Clock } from '../../../pkg/base/clock.ts';
import type {
  AccountRef,
  NetworkMessage,
  NetworkProvider,
  Page,
} from '../../../pkg/providers/network/network-provider.ts';
import { SimulatedNetwork } from '../simulated-network.ts';
import type { LeadPlan } from './any-life.ts';

const HOUR = 3_600_000;

/** People do what their plan says; an account may be restricted, and somebody may write by hand. */
export class ModelNetwork extends SimulatedNetwork {
  readonly #plans = new Map<string, LeadPlan>();
  readonly #byHand: (NetworkMessage & { account: string; publicId: string })[] = [];
  /** Accounts that the network lets do nothing. */
  readonly restricted = new Set<string>();
  readonly #now: () => number;

  constructor(clock: Clock, seed: string) {
    super(clock, seed);
    this.#now = () => clock.now();
  }

  plan(publicId: string, plan: LeadPlan): void {
    this.#plans.set(publicId, plan);
    if (!plan.posts) return;
    const postedAt = this.#now() - 24 * HOUR;
    const post = { postId: `post-${publicId}`, postedAt, repost: false, canReact: true, canComment: true };
    this.posts.set(publicId, [post]);
    this.skills.set(publicId, [1, 2]);
    this.openProfiles.add(publicId);
  }

  override behaviour(publicId: string): Behaviour {
    const plan = this.#plans.get(publicId);
    const usual = super.behaviour(publicId);
    if (!plan) return usual;
    const afterMs = plan.afterHours * HOUR;
    const { accepts, reply, replyToMessage, connected } = plan;
    return { ...usual, accepts, reply, replyToMessage, connected, acceptAfterMs: afterMs, replyAfterMs: afterMs };
  }

  override getAccount(account: AccountRef): ReturnType<NetworkProvider['getAccount']> {
    return Promise.resolve({ status: this.restricted.has(account.externalId) ? 'restricted' : this.status });
  }

  /** Somebody writes through the account, in the network's own window. */
  writeByHand(account: string, publicId: string, text: string): void {
    const messageId = `hand-${this.#byHand.length}`;
    this.#byHand.push({
      messageId,
      chatId: `chat-${publicId}`,
      direction: 'out',
      text,
      sentAt: this.#now(),
      account,
      publicId,
    });
  }

  override async listMessages(account: AccountRef, chatId: string): Promise<Page<NetworkMessage>> {
    const page = await super.listMessages(account, chatId);
    const own = this.#byHand.filter((one) => one.chatId === chatId && one.account === account.externalId);
    return { ...page, items: [...page.items, ...own].sort((a, b) => b.sentAt - a.sentAt) };
  }

  override async listChats(account?: AccountRef): ReturnType<NetworkProvider['listChats']> {
    const page = await super.listChats(account);
    const known = new Set(page.items.map((chat) => chat.chatId));
    const own = this.#byHand.filter((one) => one.account === account?.externalId && !known.has(one.chatId));
    const more = own.map(({ chatId, publicId, sentAt }) => ({
      chatId,
      providerId: `ACo${publicId}`,
      publicId,
      name: publicId,
      lastMessageAt: sentAt,
      unread: 0,
      inMail: false,
    }));
    return { ...page, items: [...page.items, ...more] };
  }
}
