import type { AnyNodeType, NodeType } from './node-type.ts';

/** Version of the node vocabulary; named wherever a graph is refused. */
export const NODE_TYPES_VERSION = '1.0.0';

/**
 * Hides the config type of a node for the registry. The one cast of the package: the registry hands a node only configs
 * that its own schema has parsed.
 */
export function defineNode<C>(type: NodeType<C>): AnyNodeType {
  return type as unknown as AnyNodeType;
}
