import { objectRef } from '../../api/object.ts';
import type { KindName, WorkflowSpec } from '../../api/specs.ts';
import type { Specs } from './resources.ts';

/** Tools know ids, resources know names: the references of a spec as the object's namespace sees them. */
export function withNames<K extends KindName>(kind: K, spec: Specs[K], homeNamespace: string): Specs[K] {
  if (kind === 'Campaign') {
    const campaign = spec as Specs['Campaign'];
    const { name } = objectRef(campaign.workspaceRef.name, homeNamespace);
    return { ...campaign, workspaceRef: { name } } as Specs[K];
  }
  if (kind === 'Workflow') {
    const workflow = spec as WorkflowSpec;
    const { name } = objectRef(workflow.campaignRef.name, homeNamespace);
    return { ...workflow, campaignRef: { name } } as Specs[K];
  }
  return spec;
}
