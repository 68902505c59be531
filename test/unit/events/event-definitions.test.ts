import { expect } from 'chai';
import { EVENT_KINDS, type EventKind } from '../../../pkg/domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../../pkg/events/event-definitions.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { CATALOG } from '../../contract/catalog.ts';

/** Kinds that nothing causes yet, with the tool of the catalog whose coming ends that; null: no tool of it does. */
const CAUSED_BY: Partial<Record<EventKind, string | null>> = {
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
    const causes = later.flatMap((kind) => CAUSED_BY[kind] ?? []);
    expect(
      causes.filter((name) => names.has(name)),
      'the tool is there: its deed tells the event now',
    ).deep.equal([]);
    const inCatalog = new Set(CATALOG.tools.map((each) => each.name));
    expect(
      causes.filter((name) => !inCatalog.has(name)),
      'no tool that can ever come',
    ).deep.equal([]);
  });
});
