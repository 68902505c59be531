import { createObject } from './create-object.ts';
import { deleteObject } from './delete-object.ts';
import { graphChecker } from './graph-checker.ts';
import type { KeyedResources } from './resources.ts';
import { updateObject } from './update-object.ts';
import { type KubeResourcesOptions, TOOLS_MANAGER, type WriteContext } from './write-context.ts';

/** Writes of the three kinds through the Kubernetes API, the projection in the transaction of the tool's answer. */
export function createKubeResources(options: KubeResourcesOptions): KeyedResources {
  const context: WriteContext = {
    fieldManager: TOOLS_MANAGER,
    checker: graphChecker,
    onGap: () => undefined,
    ...options,
  };
  return {
    create: (request) => createObject(context, request),
    update: (request) => updateObject(context, request),
    delete: (request) => deleteObject(context, request),
  };
}
