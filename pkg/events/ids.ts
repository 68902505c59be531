import { z } from 'zod';

/** Ids as events carry them. */
export const id = z.string().min(1);
/** Ids of one chunk: an import or a rescore tells of a chunk, not of each lead. */
export const ids = z.array(id).max(1_000);
export const count = z.int().min(0);
/** Epoch ms UTC, product time. */
export const instant = z.int();

/** What each event of a run names. */
export const OF_RUN = { leadId: id, runId: id, workflowId: id, campaignId: id, nodeId: id.nullable() };
export const RUN_SAMPLE = {
  leadId: '6f1d7a52-0c38-4b5e-9f0e-3b8a5d2c7e11',
  runId: '0b9c2f3e-7d64-4c1a-8a52-91f6e0d4b733',
  workflowId: 'intro-sequence',
  campaignId: 'spring-launch',
  nodeId: 'invite',
};
export const LEAD_SAMPLE = '6f1d7a52-0c38-4b5e-9f0e-3b8a5d2c7e11';
