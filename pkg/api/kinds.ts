import { CAMPAIGN } from './campaign.ts';
import type { Kind } from './kind.ts';
import type { KindName } from './specs.ts';
import { WORKFLOW } from './workflow.ts';
import { WORKSPACE } from './workspace.ts';

/** The three kinds by name. */
export const KINDS: Readonly<Record<KindName, Kind>> = { Workspace: WORKSPACE, Campaign: CAMPAIGN, Workflow: WORKFLOW };
