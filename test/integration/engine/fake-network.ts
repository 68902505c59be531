import { isHarmless } from '../../../pkg/domain/actions.ts';
import type {
  AccountRef,
  LookupOptions,
  LookupResult,
  NetworkAction,
  NetworkMessage,
  NetworkPost,
  NetworkProfile,
  NetworkProvider,
  Page,
  PerformOptions,
  PerformResult,
} from '../../../pkg/providers/network/network-provider.ts';

/** A network in memory: performs at once, keeps what it received, and does what a test tells it. */
export class FakeNetwork implements NetworkProvider {
  /** Long, as half of it is what a request may take to be written: a machine that stalls for a second makes none of them unknown. */
  settleAfterMs = 60_000;
  readonly received: { account: string; kind: string; publicId: string; text: string | null }[] = [];
  /** Called instead of a plain success; it may throw before or after `received` was written. */
  onPerform: ((action: NetworkAction, perform: () => PerformResult) => Promise<PerformResult>) | undefined;
  readonly connected = new Set<string>();
  readonly inbox: NetworkMessage[] = [];
  /** Public id -> posts, newest first, and the ids of skills that can be endorsed. */
  readonly posts = new Map<string, NetworkPost[]>();
  readonly skills = new Map<string, number[]>();
  readonly openProfiles = new Set<string>();
  /** What the provider says of every account. */
  status: Awaited<ReturnType<NetworkProvider['getAccount']>>['status'] = 'ok';
  lookups = 0;

  lookupProfile(_account: AccountRef, profile: { publicId: string } | { providerId: string }): Promise<NetworkProfile> {
    const publicId = 'publicId' in profile ? profile.publicId : profile.providerId.slice(3);
    return Promise.resolve({
      providerId: `ACo${publicId}`,
      publicId,
      firstName: '',
      lastName: '',
      headline: '',
      connected: this.connected.has(publicId),
      pending: false,
      openProfile: this.openProfiles.has(publicId),
    });
  }

  async perform(account: AccountRef, action: NetworkAction, _options?: PerformOptions): Promise<PerformResult> {
    const done = (): PerformResult => {
      this.received.push({
        account: account.externalId,
        kind: action.kind,
        publicId: action.publicId,
        text: action.text ?? null,
      });
      return { ref: `ref-${this.received.length}` };
    };
    return this.onPerform ? this.onPerform(action, done) : done();
  }

  lookupOutcome(
    account: AccountRef,
    action: NetworkAction,
    _sentAfterMs: number,
    _options?: LookupOptions,
  ): Promise<LookupResult> {
    this.lookups++;
    if (isHarmless(action.kind)) return Promise.resolve({ unsupported: true });
    const found = this.received.find(
      (one) =>
        one.account === account.externalId &&
        one.kind === action.kind &&
        one.publicId === action.publicId &&
        one.text === (action.text ?? null),
    );
    return Promise.resolve(found ? { found: true, ref: 'looked-up', at: null } : { found: false });
  }

  listSkills(_account: AccountRef, providerId: string): ReturnType<NetworkProvider['listSkills']> {
    const publicId = providerId.slice(3);
    const skills = (this.skills.get(publicId) ?? []).map((skillId) => ({ skillId, name: 'Skill', endorsed: false }));
    return Promise.resolve({ connected: this.connected.has(publicId), skills });
  }

  listPosts(_account: AccountRef, providerId: string): Promise<NetworkPost[]> {
    return Promise.resolve(this.posts.get(providerId.slice(3)) ?? []);
  }

  listComments(..._given: Parameters<NetworkProvider['listComments']>): ReturnType<NetworkProvider['listComments']> {
    return Promise.resolve({ items: [], cursor: null });
  }

  /** Where a test offers webhooks. */
  registerWebhook: NetworkProvider['registerWebhook'];

  getAccount(_account: AccountRef): ReturnType<NetworkProvider['getAccount']> {
    return Promise.resolve({ status: this.status });
  }

  listChats(..._given: Parameters<NetworkProvider['listChats']>): ReturnType<NetworkProvider['listChats']> {
    const chats = [...new Set(this.inbox.map((message) => message.chatId))];
    return Promise.resolve({
      items: chats.map((chatId) => ({
        chatId,
        providerId: `ACo${chatId.slice(5)}`,
        publicId: chatId.slice(5),
        name: chatId,
        lastMessageAt: Math.max(...this.inbox.filter((one) => one.chatId === chatId).map((one) => one.sentAt)),
        unread: 0,
        inMail: false,
      })),
      cursor: null,
    });
  }

  listMessages(_account: AccountRef, chatId: string): Promise<Page<NetworkMessage>> {
    return Promise.resolve({ items: this.inbox.filter((message) => message.chatId === chatId), cursor: null });
  }

  listRelations(): ReturnType<NetworkProvider['listRelations']> {
    return Promise.resolve({
      items: [...this.connected].map((publicId) => ({
        providerId: `ACo${publicId}`,
        publicId,
        name: '',
        headline: '',
        connectedAt: null,
      })),
      cursor: null,
    });
  }

  listSentInvitations(
    _account?: AccountRef,
    _options?: { cursor?: string },
  ): ReturnType<NetworkProvider['listSentInvitations']> {
    const items = this.received
      .filter((one) => one.kind === 'connection_request' && !this.connected.has(one.publicId))
      .map((one, index) => ({
        invitationId: `inv-${index}`,
        providerId: `ACo${one.publicId}`,
        publicId: one.publicId,
        text: one.text,
        sentAt: null,
      }));
    return Promise.resolve({ items, cursor: null });
  }
}
