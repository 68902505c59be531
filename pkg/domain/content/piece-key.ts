/** Under which name a piece of a medium lies in the bucket. @param place of the piece, from 0 */
export function pieceKey({ workspaceId, id }: { workspaceId: string; id: string }, place: number): string {
  return `media/${workspaceId}/${id}/${place}`;
}
