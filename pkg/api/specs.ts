import type { z } from 'zod';
import type { campaignSpec, campaignStatus } from './campaign.ts';
import type { workflowSpec, workflowStatus } from './workflow.ts';
import type { workspaceSpec, workspaceStatus } from './workspace.ts';

/** Specs as they are after defaults; the schemas in this folder are their source. */
export type WorkspaceSpec = z.output<typeof workspaceSpec>;
export type CampaignSpec = z.output<typeof campaignSpec>;
export type WorkflowSpec = z.output<typeof workflowSpec>;

/** Specs as a person may write them: what has a default may be absent. */
export type WorkspaceSpecInput = z.input<typeof workspaceSpec>;
export type CampaignSpecInput = z.input<typeof campaignSpec>;
export type WorkflowSpecInput = z.input<typeof workflowSpec>;

/** Statuses: bounded, conditions and counts only. */
export type WorkspaceStatus = z.output<typeof workspaceStatus>;
export type CampaignStatus = z.output<typeof campaignStatus>;
export type WorkflowStatus = z.output<typeof workflowStatus>;

/** Name of one of the three kinds. */
export type KindName = 'Workspace' | 'Campaign' | 'Workflow';
