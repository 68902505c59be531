import { idOf } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import { projectCampaign } from '../../store/resources/project-campaign.ts';
import { projectWorkflow, type WorkflowContext } from '../../store/resources/project-workflow.ts';
import { projectWorkspace } from '../../store/resources/project-workspace.ts';
import type { Projected } from '../../store/resources/projection.ts';
import type { OutriderObject } from './kinds.ts';
import type { Written } from './resources.ts';

/** The projection of a kind: the same function that its controller calls. */
export function projectObject(
  tx: Tx,
  kind: KindName,
  object: OutriderObject,
  context: WorkflowContext,
): Promise<Projected> {
  switch (kind) {
    case 'Workspace':
      return projectWorkspace(tx, object, context);
    case 'Campaign':
      return projectCampaign(tx, object, context);
    case 'Workflow':
      return projectWorkflow(tx, object, context);
  }
}

/** What a write came to, for the caller of a tool. */
export function writtenOf(object: OutriderObject, homeNamespace: string): Written {
  return { id: idOf(object, homeNamespace), generation: object.metadata.generation ?? 0 };
}
