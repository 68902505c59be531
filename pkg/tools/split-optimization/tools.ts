import { getSplitResults } from './get-split-results.ts';
import { updateSplitOptimization } from './update-split-optimization.ts';

export const splitOptimizationTools = [getSplitResults, updateSplitOptimization];
