import { getSignal } from './get-signal.ts';
import { getSignalWeights } from './get-signal-weights.ts';
import { listSignals } from './list-signals.ts';
import { updateSignalWeights } from './update-signal-weights.ts';

export const signalTools = [listSignals, getSignal, getSignalWeights, updateSignalWeights];
