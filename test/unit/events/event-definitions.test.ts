import { expect } from 'chai';
import { EVENT_KINDS, type EventKind } from '../../../pkg/domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../../pkg/events/event-definitions.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';

/** Kinds that nothing causes yet, with the tool whose coming ends that. */
const CAUSED_BY: Partial<Record<EventKind, string>> = {
  // Classes are told and not changed by tools: svc_craft_reply answers one, and stores none.
  'reply.classified': 'a tool that changes the class of an answer',
  'meeting.created': 'svc_create_calendar_event',
  'meeting.cancelled': 'svc_delete_calendar_event',
  'warmup.ready': 'svc_control_warmup',
};

describe('kinds of events', () => {
  for (const kind of EVENT_KINDS) {
    const definition = EVENT_DEFINITIONS[kind];
    it(`${kind}: its sample is what its schema takes`, () => {
      expect(definition.data.parse(definition.sample)).deep.equal(definition.sample);
    });
  }

  it('a kind comes later only while the tool that causes it does not exist', () => {
    const names = new Set<string>(ALL_TOOLS.map((each) => each.name));
    const later = EVENT_KINDS.filter((kind) => EVENT_DEFINITIONS[kind].later);
    expect(later.toSorted()).deep.equal(Object.keys(CAUSED_BY).toSorted());
    const due = later.filter((kind) => names.has(CAUSED_BY[kind] ?? ''));
    expect(due, 'the tool is there: its deed tells the event now').deep.equal([]);
  });
});
