/** How a name is found for what a call adds. */
export interface Naming {
  propose(): string;
  /** Whether a name that an earlier try chose can still be used, or is used by what that try added. */
  holds(name: string): boolean;
}
