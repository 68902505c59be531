import type { CompiledNode } from '../../domain/graph.ts';
import type { TemplatePart } from '../../domain/template.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';

/** A placeholder of a text. */
export type TemplateField = Extract<TemplatePart, { kind: 'field' }>;

/** Placeholders of the lead without a fallback in texts that a step sends: without one of them nothing is sent. */
export function leadFieldsOf(node: CompiledNode): TemplateField[] {
  const type = nodeTypeOf(node.nodeType);
  if (type.kind !== 'effect') return [];
  const parts = (type.templates?.(node.config as never) ?? []).flat();
  return parts.filter(
    (part): part is TemplateField => part.kind === 'field' && part.source === 'lead' && part.fallback === null,
  );
}
