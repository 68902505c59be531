import { expect } from 'chai';
import { type ModeFacts, modeInForce } from '../../../pkg/domain/executor-mode.ts';

const facts = (changes: Partial<ModeFacts>): ModeFacts => ({
  wished: undefined,
  usual: 'Dedicated',
  placement: [],
  replicas: 2,
  ...changes,
});

const ROWS: [why: string, facts: Partial<ModeFacts>, mode: string, refused?: string | null, by?: string][] = [
  ['nobody says anything: the platform is Dedicated', {}, 'Dedicated'],
  ['the platform says Pooled', { usual: 'Pooled' }, 'Pooled', null, 'platform'],
  ['the workspace says Pooled', { wished: 'Pooled' }, 'Pooled', null, 'workspace'],
  ['a tenant that needs its own pod keeps it', { usual: 'Pooled', wished: 'Dedicated' }, 'Dedicated'],
  [
    'placement rules need a pod of their own',
    { wished: 'Pooled', placement: ['nodeSelector'] },
    'Dedicated',
    'PlacementRules',
    'workspace',
  ],
  [
    'also where the platform says Pooled',
    { usual: 'Pooled', placement: ['resources'] },
    'Dedicated',
    'PlacementRules',
    'platform',
  ],
  ['without a pool nobody is pooled', { wished: 'Pooled', replicas: 0 }, 'Dedicated', 'NoPool', 'workspace'],
  ['placement rules of who is Dedicated need no word', { placement: ['tolerations'] }, 'Dedicated'],
];

describe('executor mode', () => {
  for (const [why, given, mode, refused, by] of ROWS) {
    it(why, () => {
      const found = modeInForce(facts(given));
      expect(found.mode).to.equal(mode);
      expect(found.wished?.refused).to.equal(refused);
      expect(found.wished?.by).to.equal(by);
    });
  }
});
