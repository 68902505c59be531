import { EXAMPLE_GRAPH } from '../../nodes/example-graph.ts';
import { GRAPH_SHAPE, NODE_TYPES_VERSION, nodeVocabulary } from '../../nodes/vocabulary.ts';
import type { StaticResource } from './resource.ts';
import { toolGuide } from './tool-guide.ts';

/** Resources that change with a deployment only. */
export const STATIC_RESOURCES: readonly StaticResource[] = [
  {
    uri: 'outrider://guide/tools',
    name: 'tool-guide',
    title: 'Guide to the tools',
    description: 'Every tool by domain: what it is for, its scope, its limit and its parameters.',
    mimeType: 'text/markdown',
    text: toolGuide,
  },
  {
    uri: 'outrider://vocabulary/nodes',
    name: 'node-vocabulary',
    title: 'Vocabulary of workflow nodes',
    description: 'Node types with their configuration and outcomes, the shape of a graph and an example.',
    mimeType: 'application/json',
    text: () =>
      JSON.stringify({
        nodeTypes: nodeVocabulary(),
        graphShape: GRAPH_SHAPE,
        exampleGraph: EXAMPLE_GRAPH,
        version: NODE_TYPES_VERSION,
      }),
  },
];
