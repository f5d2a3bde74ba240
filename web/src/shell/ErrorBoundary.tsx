import { Component, type ErrorInfo, type ReactNode } from "react";
import { ErrorPage } from "./ErrorPage.js";

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error?: unknown;
  readonly where?: string;
}

/** Shows an error in place of the failed component. React requires a class for this. */
export class ErrorBoundary extends Component<Props, State> {
  override readonly state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override componentDidCatch(_: unknown, { componentStack }: ErrorInfo) {
    this.setState({ where: componentStack ?? "" });
  }

  override render() {
    if (!("error" in this.state)) return this.props.children;
    return <ErrorPage error={this.state.error} where={this.state.where ?? ""} />;
  }
}
