import { expect } from 'chai';
import { EVENT_KINDS } from '../../../pkg/domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../../pkg/events/event-definitions.ts';

describe('kinds of events', () => {
  for (const kind of EVENT_KINDS) {
    const definition = EVENT_DEFINITIONS[kind];
    it(`${kind}: its sample is what its schema takes`, () => {
      expect(definition.data.parse(definition.sample)).deep.equal(definition.sample);
    });
  }
});
