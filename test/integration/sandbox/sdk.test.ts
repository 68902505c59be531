import { expect } from 'chai';
import { UnipileClient } from 'unipile-node-sdk';
import { API_KEY, type Bench, HOUR, startBench } from '../../fixtures/sandbox/harness.ts';

/** The provider's own client, which checks every answer against its schemas, is the judge of the wire format. */
describe('sandbox with the official client', () => {
  let bench: Bench;
  let client: UnipileClient;
  const account_id = 'acc-1';

  beforeEach(async () => {
    bench = await startBench();
    client = new UnipileClient(bench.sandbox.url, API_KEY, {
      validateRequestPayload: true,
      validateRequestPayloadLevel: 'error',
    });
  });
  afterEach(() => bench.stop());

  async function invite(publicId: string, message?: string): Promise<string> {
    const profile = await client.users.getProfile({ account_id, identifier: publicId });
    if (profile.provider !== 'LINKEDIN') throw new Error('other provider');
    const sent = await client.users.sendInvitation({
      account_id,
      provider_id: profile.provider_id,
      ...(message ? { message } : {}),
    });
    expect(sent.object).to.equal('UserInvitationSent');
    return profile.provider_id;
  }

  it('looks people up', async () => {
    const profile = await client.users.getProfile({ account_id, identifier: 'ada-lovelace' });
    expect(profile).to.include({ first_name: 'Ada', last_name: 'Lovelace', public_identifier: 'ada-lovelace' });
    expect((await client.users.getOwnProfile(account_id)).object).to.equal('AccountOwnerProfile');
  });

  it('sends, lists and cancels invitations', async () => {
    await bench.control('people', { publicId: 'ada-lovelace', behaviour: 'ignores' });
    const providerId = await invite('ada-lovelace', 'Hello Ada');
    const list = await client.users.getAllInvitationsSent({ account_id });
    expect(list.items[0]).to.include({ invited_user_id: providerId, invitation_text: 'Hello Ada' });
    const invitation_id = list.items[0]?.id ?? '';
    expect((await client.users.cancelInvitationSent({ account_id, invitation_id })).object).to.equal(
      'InvitationCanceled',
    );
    expect((await client.users.getAllInvitationsSent({ account_id })).items).to.deep.equal([]);
  });

  it('lists relations after an acceptance', async () => {
    await bench.control('people', { publicId: 'ada-lovelace', behaviour: { accepts: true, acceptAfterMs: HOUR } });
    const providerId = await invite('ada-lovelace');
    expect((await client.users.getAllRelations({ account_id })).items).to.deep.equal([]);
    await bench.clock.advance(HOUR);
    const relations = await client.users.getAllRelations({ account_id });
    expect(relations.items.map((item) => item.member_id)).to.deep.equal([providerId]);
  });

  it('starts chats, writes into them and reads them', async () => {
    await bench.control('people', { publicId: 'ada-lovelace', behaviour: 'connected' });
    const profile = await client.users.getProfile({ account_id, identifier: 'ada-lovelace' });
    if (profile.provider !== 'LINKEDIN') throw new Error('other provider');
    const started = await client.messaging.startNewChat({
      account_id,
      attendees_ids: [profile.provider_id],
      text: 'First',
    });
    const chat_id = started.chat_id ?? '';
    await client.messaging.sendMessage({ chat_id, text: 'Second' });
    await bench.control('inbound', { accountId: account_id, publicId: 'ada-lovelace', text: 'Third' });
    const messages = await client.messaging.getAllMessagesFromChat({ chat_id });
    expect(messages.items.map((item) => [item.text, item.is_sender])).to.deep.equal([
      ['Third', 0],
      ['Second', 1],
      ['First', 1],
    ]);
    const chats = await client.messaging.getAllChats({ account_id });
    expect(chats.items[0]).to.include({ id: chat_id, unread_count: 1, attendee_provider_id: profile.provider_id });
    expect((await client.messaging.getChat(chat_id)).lastMessage?.text).to.equal('Third');
    const mine = await client.messaging.getAllChatsFromAttendee({ attendee_id: profile.provider_id, account_id });
    expect(mine.items.map((item) => item.id)).to.deep.equal([chat_id]);
    expect((await client.messaging.getAllAttendeesFromChat(chat_id)).items).to.have.length(2);
    await client.messaging.setChatStatus({ chat_id, action: 'setReadStatus', value: true });
    expect((await client.messaging.getChat(chat_id)).unread_count).to.equal(0);
  });

  it('a reaction to a message is an event of its chat, which is not unread for it', async () => {
    await bench.control('people', { publicId: 'ada-lovelace', behaviour: 'connected' });
    const profile = await client.users.getProfile({ account_id, identifier: 'ada-lovelace' });
    if (profile.provider !== 'LINKEDIN') throw new Error('other provider');
    const attendees_ids = [profile.provider_id];
    const started = await client.messaging.startNewChat({ account_id, attendees_ids, text: 'First' });
    const chat_id = started.chat_id ?? '';
    const reaction = { accountId: account_id, publicId: 'ada-lovelace', text: '👍', direction: 'reaction' };
    await bench.control('inbound', reaction);
    const messages = await client.messaging.getAllMessagesFromChat({ chat_id });
    expect(messages.items.map((item) => [item.text, item.is_sender, item.is_event])).to.deep.equal([
      ['👍', 0, 1],
      ['First', 1, 0],
    ]);
    expect((await client.messaging.getChat(chat_id)).unread_count).to.equal(0);
  });

  it('lists posts, reacts to them and comments on them', async () => {
    await bench.control('people', { publicId: 'ada-lovelace', behaviour: { posts: 2, postAgeDays: 1 } });
    const profile = await client.users.getProfile({
      account_id,
      identifier: 'ada-lovelace',
      linkedin_sections: ['skills'],
    });
    if (profile.provider !== 'LINKEDIN') throw new Error('other provider');
    const posts = await client.users.getAllPosts({ account_id, identifier: profile.provider_id });
    expect(posts.items).to.have.length(2);
    const post_id = posts.items[0]?.social_id ?? '';
    const reaction = await client.users.sendPostReaction({ account_id, post_id, reaction_type: 'celebrate' });
    expect(reaction.object).to.equal('ReactionAdded');
    expect((await client.users.sendPostComment({ account_id, post_id, text: 'Well said' })).object).to.equal(
      'CommentSent',
    );
    const comments = await client.users.getAllPostComments({ account_id, post_id });
    const me = await client.users.getOwnProfile(account_id);
    expect(comments.items.map((item) => [item.text, item.author_details.id])).to.deep.equal([
      ['Well said', me.provider === 'LINKEDIN' ? me.provider_id : ''],
    ]);
  });

  it('pages through a list without losing an item', async () => {
    for (const name of ['a-a', 'b-b', 'c-c', 'd-d', 'e-e']) {
      await bench.control('people', { publicId: name, behaviour: 'ignores' });
      await invite(name);
    }
    const seen: (string | null)[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.users.getAllInvitationsSent({ account_id, limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map((item) => item.invited_user_public_id));
      cursor = page.cursor ?? undefined;
    } while (cursor);
    expect(seen).to.deep.equal(['e-e', 'd-d', 'c-c', 'b-b', 'a-a']);
  });

  it('knows any account under the key', async () => {
    const one = await client.account.getOne('never-seen');
    expect(one).to.include({ id: 'never-seen', type: 'LINKEDIN' });
    expect((await client.account.getAll()).items.map((item) => item.id)).to.deep.equal(['never-seen']);
  });

  it('registers and removes webhooks', async () => {
    const made = await client.webhook.create({
      source: 'messaging',
      request_url: 'http://127.0.0.1:9/hook',
      name: 'inbox',
    });
    const list = await client.webhook.getAll();
    expect(list.items.map((item) => [item.id, item.request_url])).to.deep.equal([
      [made.webhook_id, 'http://127.0.0.1:9/hook'],
    ]);
    await client.webhook.delete(made.webhook_id);
    expect((await client.webhook.getAll()).items).to.deep.equal([]);
  });

  it('refuses another key', async () => {
    const stranger = new UnipileClient(bench.sandbox.url, 'wrong');
    const error = await stranger.account.getAll().then(
      () => null,
      (cause: { body?: unknown }) => cause,
    );
    expect(error?.body).to.include({ status: 401, type: 'errors/invalid_credentials' });
  });
});
