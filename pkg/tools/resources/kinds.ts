import { campaignSpec } from '../../api/campaign.ts';
import { API_VERSION, FINALIZER, GROUP, VERSION } from '../../api/kind.ts';
import { KINDS } from '../../api/kinds.ts';
import type { KindName } from '../../api/specs.ts';
import { workflowSpec } from '../../api/workflow.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import type { KubeObject, Resource } from '../../kube/types.ts';

/** One of our objects as the API server gives it. */
export type OutriderObject = KubeObject & { spec?: unknown; status?: unknown };

/** Schemas of the specs by kind name. */
export const SPEC_SCHEMAS = { Workspace: workspaceSpec, Campaign: campaignSpec, Workflow: workflowSpec };

const resource = (kind: KindName): Resource => ({
  group: GROUP,
  version: VERSION,
  plural: KINDS[kind].plural,
  kind,
  namespaced: true,
});

/** How the three kinds are called at the API server. */
export const RESOURCES: Readonly<Record<KindName, Resource>> = {
  Workspace: resource('Workspace'),
  Campaign: resource('Campaign'),
  Workflow: resource('Workflow'),
};

/**
 * An object to be applied. The finalizer is part of it from the start, and each apply says it again (what an apply leaves
 * out is given up): its rows are written before the operator sees it, and nothing else would tell of its deletion.
 */
export function applied(kind: KindName, metadata: KubeObject['metadata'], spec: object): OutriderObject {
  return { apiVersion: API_VERSION, kind, metadata: { ...metadata, finalizers: [FINALIZER] }, spec };
}
