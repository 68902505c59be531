import { expect } from 'chai';
import { type ConditionReason, type EventReason, passedReason } from '../../pkg/api/condition-words.ts';
import { BUDGET_ACTIONS } from '../../pkg/domain/actions.ts';
import { EVENT_KINDS, type EventKind } from '../../pkg/domain/event-kinds.ts';
import type { NotificationKind } from '../../pkg/domain/notifications/notification-kinds.ts';
import { REPLY_CLASSES, RUN_STATES, WAIT_REASONS } from '../../pkg/domain/vocabulary.ts';
import { CATALOG } from './catalog.ts';

describe('contract: closed word lists', () => {
  const own = {
    budgetAction: BUDGET_ACTIONS,
    runState: RUN_STATES,
    waitReason: WAIT_REASONS,
    replyClass: REPLY_CLASSES,
    eventKind: EVENT_KINDS,
  };
  for (const [name, words] of Object.entries(own))
    it(`${name} has the words of the catalog`, () => {
      expect(words).to.deep.equal(CATALOG.enums[name]);
    });
});

describe('contract: a word that is on no list does not compile', () => {
  it('kinds of events and notifications, reasons of conditions and Kubernetes Events', () => {
    // @ts-expect-error a typo
    const event: EventKind = 'run.step_dome';
    // @ts-expect-error an event that nobody is told of
    const notification: NotificationKind = 'lead.created';
    // @ts-expect-error a typo
    const reason: ConditionReason = 'NameTakne';
    // @ts-expect-error a reason of a condition
    const told: EventReason = 'Projected';
    expect([event, notification, reason, told]).to.have.length(4);
    expect(passedReason('SchedulingGated')).to.equal('SchedulingGated');
  });
});
