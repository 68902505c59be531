import { addSignalExclusion } from './add-signal-exclusion.ts';
import { checkSignalExclusion } from './check-signal-exclusion.ts';
import { importSignalExclusions } from './import-signal-exclusions.ts';
import { listSignalExclusions } from './list-signal-exclusions.ts';
import { removeSignalExclusion } from './remove-signal-exclusion.ts';

export const signalExclusionTools = [
  listSignalExclusions,
  addSignalExclusion,
  importSignalExclusions,
  checkSignalExclusion,
  removeSignalExclusion,
];
