/** A budget and what is used of it. */
export class TokenRoom {
  readonly budget: number;
  used: number;

  constructor({ budget, used }: { readonly budget: number; readonly used: number }) {
    this.budget = budget;
    this.used = used;
  }

  get left(): number {
    return Math.max(0, this.budget - this.used);
  }

  /** What counts against the container: at most what it gave. */
  get consumed(): number {
    return this.used > this.budget ? this.budget : this.used;
  }
}
