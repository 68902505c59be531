const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Whether a nodeId has the form that custom resources and metrics need. */
export function isNodeId(value: string): boolean {
  return DNS_LABEL.test(value);
}

function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}

/** What of a node decides its identity; the caller's node fits. */
export interface NodeLike {
  nodeId?: string | null | undefined;
  nodeType: string;
  label?: string | null | undefined;
}

/** An id for each node: the given one, else one made of the label (or type), the same for the same graph. */
export function assignNodeIds(nodes: readonly NodeLike[]): readonly string[] {
  const taken = new Set(nodes.flatMap((node) => (node.nodeId ? [node.nodeId] : [])));
  return nodes.map((node) => {
    if (node.nodeId) return node.nodeId;
    const base = slug(node.label ?? '') || slug(node.nodeType) || 'node';
    let id = base;
    for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
    taken.add(id);
    return id;
  });
}
