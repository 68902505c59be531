import { createIcp } from './create-icp.ts';
import { getIcpScores } from './get-icp-scores.ts';
import { listIcps } from './list-icps.ts';
import { triggerIcpScoring } from './trigger-icp-scoring.ts';

export const icpTools = [createIcp, listIcps, getIcpScores, triggerIcpScoring];
