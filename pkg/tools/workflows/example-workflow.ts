import type { z } from 'zod';
import type { graphParam } from '../records/graph.ts';

/** A graph that validates, for the examples of tools: one look, a day's pause, and two arms that nothing follows. */
export const EXAMPLE_WORKFLOW: z.input<typeof graphParam> = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    { nodeId: 'look', nodeType: 'network:profile_view', label: 'Look' },
    {
      nodeId: 'pause',
      nodeType: 'flow:wait',
      label: 'Pause',
      config: { waitType: 'duration', durationMs: 86_400_000 },
    },
    {
      nodeId: 'opener',
      nodeType: 'flow:split',
      label: 'Opener',
      config: { branches: [{ name: 'a' }, { name: 'b' }], mode: 'bandit' },
    },
    { nodeId: 'done', nodeType: 'flow:end', label: 'Done' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4, branch: 'a' },
    { sourceIndex: 3, targetIndex: 4, branch: 'b' },
  ],
};
