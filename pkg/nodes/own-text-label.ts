/** Under which name a run keeps the text that was written for this send node, beside those of ai:craft nodes. */
export const ownTextLabel = (nodeId: string): string => `text of ${nodeId}`;
