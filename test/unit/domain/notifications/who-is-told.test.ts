import { expect } from 'chai';
import fc from 'fast-check';
import { EVENT_KINDS, type EventKind } from '../../../../pkg/domain/event-kinds.ts';
import { groupOf } from '../../../../pkg/domain/notifications/group-of.ts';
import { noticeWords } from '../../../../pkg/domain/notifications/notice-words.ts';
import {
  NOTIFICATION_CHANNELS,
  NOTIFICATION_RULES,
  type NotificationChannel,
} from '../../../../pkg/domain/notifications/notification-rules.ts';
import { type Chosen, NOTHING_CHOSEN, preferencesOf } from '../../../../pkg/domain/notifications/preferences.ts';
import { type Happening, type Hearer, whoIsTold } from '../../../../pkg/domain/notifications/who-is-told.ts';
import { MEMBER_ROLES, type MemberRole } from '../../../../pkg/domain/vocabulary.ts';
import { EVENT_DEFINITIONS } from '../../../../pkg/events/event-definitions.ts';

const member = (userId: string, role: MemberRole, chosen: Partial<Chosen> = {}, scopes?: string[]): Hearer => ({
  userId,
  memberId: `member of ${userId}`,
  role,
  scopeLimit: scopes ?? null,
  preferences: preferencesOf({ ...NOTHING_CHOSEN, ...chosen }, NOTHING_CHOSEN, 'UTC'),
});
const happening = (kind: EventKind, more: Partial<Happening> = {}): Happening => ({
  kind,
  actor: 'engine',
  named: [],
  scope: EVENT_DEFINITIONS[kind].scope,
  ...more,
});
const told = (event: Happening, ...members: Hearer[]): string[] =>
  whoIsTold(event, members).map(({ userId }) => userId);

const TEAM = [member('o', 'owner'), member('a', 'admin'), member('m', 'member'), member('r', 'reviewer')];

describe('who is told', () => {
  it('N2: owner and admins of what is the workspace’s, not everyone', () => {
    expect(told(happening('credits.low'), ...TEAM)).deep.equal(['o', 'a']);
  });

  it('N2: the reviewers whom a draft names; owner and admins where none of them is a member; else all who decide', () => {
    const draft = (...named: string[]): string[] => told(happening('review.pending', { named }), ...TEAM);
    expect(draft('m', 'stranger')).deep.equal(['m']);
    expect(draft('member of r')).deep.equal(['r']);
    expect(draft('stranger')).deep.equal(['o', 'a']);
    expect(draft()).deep.equal(['o', 'a', 'r']);
  });

  it('N2: who did it is told of what they began, and of security also what they did themselves', () => {
    expect(told(happening('import.completed', { actor: 'm' }), ...TEAM)).deep.equal(['m']);
    expect(told(happening('import.completed', { actor: 'system' }), ...TEAM)).deep.equal(['o', 'a']);
    expect(told(happening('key.created', { actor: 'm' }), ...TEAM)).have.members(['o', 'a', 'm']);
    expect(told(happening('member.joined', { actor: 'a' }), ...TEAM), 'not of their own deed').deep.equal(['o']);
  });

  it('nobody is told of what they may not read, nor by no channel; who chose a kind hears of it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENT_KINDS),
        fc.constantFrom(...MEMBER_ROLES),
        fc.option(fc.uniqueArray(fc.constantFrom(...NOTIFICATION_CHANNELS)), { nil: undefined }),
        fc.option(fc.constant<string[]>([]), { nil: undefined }),
        (kind, role, channels, scopes) => {
          const one = member('one', role, channels ? { channels: { [kind]: channels } } : {}, scopes);
          const hears = told(happening(kind), one).length > 0;
          if (scopes) expect(hears, 'without the scope').equal(false);
          else if (channels) expect(hears).equal(channels.length > 0);
          else if (NOTIFICATION_RULES[kind].channels.length === 0) expect(hears, 'volume is off').equal(false);
        },
      ),
    );
  });
});

describe('preferences', () => {
  it('N5: own choice before the workspace’s, before the product’s, each kind and setting by itself', () => {
    const channels = fc.dictionary(
      fc.constantFrom(...EVENT_KINDS),
      fc.uniqueArray(fc.constantFrom(...NOTIFICATION_CHANNELS)),
    ) as fc.Arbitrary<Partial<Record<EventKind, NotificationChannel[]>>>;
    const chosen = fc.record<Chosen>({
      channels,
      digest: fc.constantFrom(null, 'off', 'hourly', 'daily'),
      quietHours: fc.constantFrom<Chosen['quietHours'][]>(
        null,
        {},
        { startHour: 1, endHour: 2 },
        { startHour: 5, endHour: 5 },
      ),
    });
    fc.assert(
      fc.property(chosen, chosen, fc.constantFrom(...EVENT_KINDS), (own, ofAll, kind) => {
        const force = preferencesOf(own, ofAll, 'Asia/Tokyo');
        const expected = own.channels[kind] ?? ofAll.channels[kind] ?? NOTIFICATION_RULES[kind].channels;
        expect(force.channelsOf(kind)).deep.equal(expected);
        expect(force.digest).equal(own.digest ?? ofAll.digest ?? 'off');
        const quiet = own.quietHours ?? ofAll.quietHours;
        const isQuiet = quiet !== null && 'startHour' in quiet && quiet.startHour !== quiet.endHour;
        expect(force.quietHours).deep.equal(isQuiet ? { startHour: 1, endHour: 2, timezone: 'Asia/Tokyo' } : null);
      }),
    );
  });
});

describe('words of notifications', () => {
  it('N6: the title of no kind names a lead, whatever its event holds', () => {
    for (const kind of EVENT_KINDS)
      for (const count of [1, 12]) {
        const { sample, says } = EVENT_DEFINITIONS[kind];
        const data = { ...sample, leadId: 'Ada Lovelace', name: 'Ada Lovelace', email: 'ada@x.example' };
        const { title, text } = noticeWords(kind, says, { count, campaign: 'Growth', account: 'Sally', data, now: 0 });
        expect(`${title} ${text}`, kind).not.match(/Ada|ada@|undefined|null|NaN/);
        expect(title.length, kind).within(5, 120);
        expect(text, kind).not.equal('');
      }
  });

  it('drafts say how many wait and when the oldest expires', () => {
    const words = (waiting: number, leftMs: number): string =>
      noticeWords('review.pending', '', {
        count: 1,
        campaign: null,
        account: null,
        data: { waiting, oldestExpiresAt: leftMs },
        now: 0,
      }).title;
    expect(words(12, 6 * 3_600_000)).equal('12 drafts wait, the oldest expires in 6 h');
    expect(words(2, 3 * 86_400_000)).equal('2 drafts wait, the oldest expires in 3 days');
    expect(words(2, 90_000)).equal('2 drafts wait, the oldest expires in 1 min');
    expect(words(1, 90_000)).equal('A draft waits for you');
  });

  it('an answer that a person has to read joins none that was understood', () => {
    const place = { kind: 'reply.received', campaignId: 'c', workflowId: 'w', accountId: 'a' } as const;
    const [read, understood] = ['unclassified', 'positive'].map((replyClass) => groupOf({ ...place, replyClass }));
    expect(read).not.equal(understood);
    expect(groupOf({ ...place, campaignId: 'other', replyClass: 'positive' })).not.equal(understood);
    expect(groupOf({ ...place, kind: 'credits.low', replyClass: null })).equal(null);
  });
});
