import { Component, type ReactNode } from "react";

interface Props {
  /** The shown value: another value is tried again. */
  readonly of: unknown;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/** Contains an error in one output. React requires a class for this. */
export class Boundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.failed && before.of !== this.props.of) this.setState({ failed: false });
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
