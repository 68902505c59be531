import { createIcp } from './create-icp.ts';
import { deleteIcp } from './delete-icp.ts';
import { getIcpScores } from './get-icp-scores.ts';
import { listIcps } from './list-icps.ts';
import { triggerIcpScoring } from './trigger-icp-scoring.ts';
import { updateIcp } from './update-icp.ts';

export const icpTools = [createIcp, listIcps, updateIcp, deleteIcp, getIcpScores, triggerIcpScoring];
