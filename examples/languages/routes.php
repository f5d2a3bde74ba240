<?php
// The shortest ways in a network of towns, by Dijkstra's algorithm: the standard library of PHP alone.
//   quire eval --file routes.php
//   quire eval --file routes.php --engine php-wasm
declare(strict_types=1);

final class Network
{
    /** @var array<string, array<string, int>> */
    private array $roads = [];

    public function road(string $a, string $b, int $km): self
    {
        $this->roads[$a][$b] = $this->roads[$b][$a] = $km;
        return $this;
    }

    public function from(string $start): array
    {
        $best = [$start => 0];
        $queue = new SplPriorityQueue();
        $queue->insert($start, 0);
        while (!$queue->isEmpty()) {
            $town = $queue->extract();
            foreach ($this->roads[$town] ?? throw new DomainException("there is no town $town") as $next => $km) {
                if ($best[$town] + $km < ($best[$next] ?? PHP_INT_MAX)) {
                    $best[$next] = $best[$town] + $km;
                    $queue->insert($next, -$best[$next]);
                }
            }
        }
        asort($best);
        return $best;
    }
}

$network = (new Network())->road('Aach', 'Bern', 12)->road('Bern', 'Chur', 7)->road('Aach', 'Chur', 25)->road('Chur', 'Davos', 4);
foreach ($network->from('Aach') as $town => $km) {
    printf("%-6s %3d km\n", $town, $km);
}
echo json_encode(array_map(fn (int $km): string => sprintf('%.1f mi', $km / 1.609), $network->from('Davos'))), "\n";
try {
    $network->from('Elm');
} catch (DomainException $e) {
    echo get_class($e), ': ', $e->getMessage(), "\n";
}
