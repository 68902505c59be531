/** Source of a resolved playbook. Catalog `enums.playbookSource`. */
export type PlaybookSource = 'signal_agent' | 'workspace' | 'workspace_and_campaign' | 'campaign_override' | 'none';

/** One stored text that went into the resolved one. */
export interface PlaybookPart {
  kind: 'signal_agent' | 'workspace' | 'campaign_override';
  id: string;
  version: string;
}

/** A stored text; empty or blank reads as not set. */
export interface StoredPlaybook {
  id: string;
  version: string;
  text: string;
}

export interface PlaybookSituation {
  workspace: StoredPlaybook | null;
  /** The override of the campaign that the conversation belongs to; null outside of a campaign. */
  campaignOverride: StoredPlaybook | null;
  /** The signal agent that handles the conversation; `own` null: it has no playbook of its own. */
  signalAgent: { own: StoredPlaybook | null } | null;
}

/** Exactly one text, which versions it is made of, and why it is this one. */
export interface ResolvedPlaybook {
  text: string | null;
  source: PlaybookSource;
  parts: readonly PlaybookPart[];
  reason: string;
}

/** Stands between the workspace's text and the campaign's. Word for word of the specification. */
export const OVERRIDE_HEADING = 'Additional instructions for this campaign:';

/**
 * The one playbook text of an AI-written message. Source: specification, Playbook resolution: a signal agent's own
 * playbook stands alone; a campaign's override is appended to the workspace playbook, or stands alone without one.
 */
export function resolvePlaybook(situation: PlaybookSituation): ResolvedPlaybook {
  const workspace = present(situation.workspace);
  const override = present(situation.campaignOverride);
  if (situation.signalAgent) {
    const own = present(situation.signalAgent.own);
    if (own) {
      const reason = 'the signal agent has its own playbook, which stands alone';
      return { text: own.text, source: 'signal_agent', parts: [partOf('signal_agent', own)], reason };
    }
    return workspaceAlone(workspace, 'the signal agent has no playbook of its own');
  }
  if (!override) return workspaceAlone(workspace, 'no campaign override applies');
  if (!workspace) {
    const reason = 'the campaign has an override and the workspace has no playbook';
    return {
      text: override.text,
      source: 'campaign_override',
      parts: [partOf('campaign_override', override)],
      reason,
    };
  }
  return {
    text: `${workspace.text}\n\n${OVERRIDE_HEADING}\n${override.text}`,
    source: 'workspace_and_campaign',
    parts: [partOf('workspace', workspace), partOf('campaign_override', override)],
    reason: 'the campaign override is appended to the workspace playbook',
  };
}

function workspaceAlone(workspace: StoredPlaybook | null, why: string): ResolvedPlaybook {
  if (!workspace) {
    return { text: null, source: 'none', parts: [], reason: `${why} and the workspace has no playbook` };
  }
  return {
    text: workspace.text,
    source: 'workspace',
    parts: [partOf('workspace', workspace)],
    reason: `${why}: the workspace playbook alone`,
  };
}

function present(stored: StoredPlaybook | null): StoredPlaybook | null {
  return stored && stored.text.trim() !== '' ? stored : null;
}

function partOf(kind: PlaybookPart['kind'], { id, version }: StoredPlaybook): PlaybookPart {
  return { kind, id, version };
}
