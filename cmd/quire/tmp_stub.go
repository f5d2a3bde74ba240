package main

import "github.com/spf13/cobra"

func (a *app) agentCommand() *cobra.Command { return &cobra.Command{Use: "agent"} }
func (a *app) runCommand() *cobra.Command   { return &cobra.Command{Use: "run"} }
