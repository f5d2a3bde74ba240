import { Component, type ReactNode } from "react";

interface Props {
  /** What is shown: when it is another, it gets another chance. */
  readonly of: unknown;
  readonly fallback: ReactNode;
  readonly children: ReactNode;
}

/** Keeps what goes wrong in one output there. It is a class since React has no other way. */
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
